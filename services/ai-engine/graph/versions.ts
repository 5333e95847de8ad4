import { Fault } from '../../_kit/fault.ts'
import type { Skill } from '../skill.ts'
import type { Op } from '../store/delta.ts'

/** Version of the graph and of the shape of its state. Raise it with every change of either. */
export const graphVersion = '4'

/** Versions of the graph whose threads this version continues. */
export const supportedGraphVersions = new Set(['1', '2', '3', graphVersion])

interface MadeBy {
  skill: string
  graph_version: string
  skill_version: string
}

/**
 * Returns the operations that bring a skill's state from the version that issued a card to the installed
 * version. Throws 409 VERSION_UNSUPPORTED if this version cannot continue; the card stays pending.
 */
export async function migrateSkillState(
  skills: Skill[],
  { skill: name, graph_version, skill_version }: MadeBy,
  loadSkillState: () => Promise<Record<string, unknown>>,
): Promise<Op[]> {
  if (!supportedGraphVersions.has(graph_version))
    throw unsupportedVersion(`graph version ${graph_version}`, graphVersion)
  const skill = skills.find((each) => each.name === name)
  if (!skill) throw unsupportedVersion(`skill ${name} ${skill_version}`, 'no such skill')
  if (skill.version === skill_version) return []
  const migrated = skill.code.migrate?.(await loadSkillState(), skill_version)
  if (!migrated) throw unsupportedVersion(`skill ${name} ${skill_version}`, skill.version)
  return [['set', [name], migrated]]
}

const unsupportedVersion = (needed: string, installed: string) =>
  new Fault(
    'CONFLICT',
    `The card was made by ${needed}; installed: ${installed}. Answer it with that version, or withdraw the card and send a new message.`,
    { code: 'VERSION_UNSUPPORTED', data: { needed, installed } },
  )
