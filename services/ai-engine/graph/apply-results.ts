import type { Outcome } from '../run/graph.ts'
import { Products, type Skill, type SkillResult } from '../skill.ts'
import type { Lease } from '../store/lease.ts'
import { requestedCard } from './requested-card.ts'
import { markDependentsStale, type RequestedCard, type State } from './state.ts'

/** Validated result of a skill. */
export interface SkillOutcome {
  skill: string
  version: string
  output: Record<string, unknown>
  /** The card that the skill requests. */
  ask: RequestedCard | null
  reply: string
  products: object | null
}

/** Validates the result of a skill. Throws a failure that is not retried. */
export function toSkillOutcome(
  skill: Skill,
  result: SkillResult<unknown>,
  lease: Lease,
): SkillOutcome {
  const { name, version } = skill
  const output = skill.code.outputs.safeParse(result.output)
  if (!output.success) {
    const [issue] = output.error.issues
    const message = `Skill ${name} returned invalid output: ${issue?.path.join('.')}: ${issue?.message}`
    throw { code: 'SKILL_OUTPUT', message }
  }
  return {
    skill: name,
    version,
    output: output.data as Record<string, unknown>,
    ask: requestedCard(skill, result),
    reply: result.reply ?? '',
    products: parseProducts(result, lease),
  }
}

/** A branch without `sync` and a run without a matter sync nothing. */
function parseProducts({ products }: SkillResult<unknown>, lease: Lease): object | null {
  if (!products || !lease.sync || lease.matter_id === null) return null
  const parsed = Products.parse(products)
  return Object.keys(parsed).length > 0 ? parsed : null
}

export const skillState = (state: State, name: string) =>
  (state[name] ?? {}) as Record<string, unknown>

/**
 * Merges the outcomes of skills into the state, in their order: each output into the skill's own state,
 * requested cards at the end of the queue.
 */
export function applyResults(state: State, outcomes: SkillOutcome[]): Outcome<State> {
  const { round } = state
  const outputs = outcomes.map(({ skill, output }) => [
    skill,
    { ...skillState(state, skill), ...output },
  ])
  const replies = [round.reply, ...outcomes.map(({ reply }) => reply)]
  const last = outcomes.at(-1)
  return {
    state: {
      ...state,
      ...Object.fromEntries(outputs),
      work: outcomes.reduce(
        (work, { skill, ask }) => recordWork(work, state.table, skill, ask !== null),
        state.work,
      ),
      ...(outcomes.some(({ skill, ask }) => !ask && rereads(state, skill)) && {
        files_read: state.file_ids.length,
      }),
      round: {
        ...round,
        done: [...round.done, ...outcomes.map(({ skill }) => skill)],
        tasks: [],
        asks: [...round.asks, ...outcomes.flatMap(({ ask }) => ask ?? [])],
        reply: replies.filter((text) => text !== '').join('\n\n'),
      },
    },
    next: 'sync_data',
    products: outcomes.flatMap(({ products }) => products ?? []),
    ...(last && { skill_version: last.version }),
  }
}

/** A skill that completes makes the done work of its dependents stale. */
const recordWork = (
  work: State['work'],
  table: State['table'],
  skill: string,
  waits: boolean,
): State['work'] =>
  waits
    ? { ...work, [skill]: 'waiting' }
    : markDependentsStale({ ...work, [skill]: 'done' }, table, skill)

const rereads = ({ table }: State, skill: string) =>
  table.some((entry) => entry.name === skill && entry.rereads === true)
