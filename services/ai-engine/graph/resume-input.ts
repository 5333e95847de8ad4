import type { Sql } from '../../_kit/sql/sql.ts'
import type { Skill } from '../skill.ts'
import type { BuildInput } from '../store/cards.ts'
import { loadState } from '../store/state.ts'
import { buildResumeInput, routingTable, type State } from './state.ts'
import { migrateSkillState } from './versions.ts'

interface ResumeDeps {
  sql: Sql
  skills(): Promise<Skill[]>
}

/** Returns the function that builds the input of a run after a card, for the installed skills. */
export async function resumeInput(
  deps: ResumeDeps,
  thread_id: string,
  file_ids: string[] = [],
): Promise<BuildInput> {
  const skills = await deps.skills()
  return async (card, answers, skipped, head) => {
    const migration = await migrateSkillState(skills, card, async () => {
      const state = (await loadState(deps.sql, thread_id, head)) as State
      return (state[card.skill] ?? {}) as Record<string, unknown>
    })
    return buildResumeInput(routingTable(skills), card, answers, skipped, {
      migration,
      file_ids,
    })
  }
}
