import { toStorable } from '../../_kit/storable.ts'
import { Facts } from '../facts.ts'
import type { Outcome } from '../run/graph.ts'
import { AnalysisOutput, DocumentOutput, Products, type Skill, type SkillResult } from '../skill.ts'
import type { DocumentUpload, Effect } from '../store/effect.ts'
import type { Lease } from '../store/lease.ts'
import { resolveClientId } from './load-context.ts'
import { type AnalysisPart, addToAnalysis } from './open-analysis.ts'
import { requestedCard } from './requested-card.ts'
import { markDependentsStale, type RequestedCard, type State } from './state.ts'

/** Validated result of a skill. */
export interface SkillOutcome {
  skill: string
  version: string
  output: Record<string, unknown>
  facts: Facts
  /** The card that the skill requests. */
  ask: RequestedCard | null
  reply: string
  products: object | null
  analysis: AnalysisPart | null
  documents: DocumentUpload[]
}

/** Validates the result of a skill. Throws a failure that is not retried. A text that was cut may end in half a character. */
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
  return toStorable({
    skill: name,
    version,
    output: output.data as Record<string, unknown>,
    facts: Facts.parse(result.facts ?? {}),
    ask: requestedCard(skill, result),
    reply: result.reply ?? '',
    products: parseProducts(result, lease),
    analysis: parseAnalysis(result, lease),
    documents: parseDocuments(result, lease),
  })
}

/** A branch without `sync` and a run without a matter sync nothing. */
function parseProducts({ products }: SkillResult<unknown>, lease: Lease): object | null {
  if (!products || !lease.sync || lease.matter_id === null) return null
  const parsed = Products.parse(products)
  return Object.keys(parsed).length > 0 ? parsed : null
}

function parseAnalysis({ analysis }: SkillResult<unknown>, lease: Lease): AnalysisPart | null {
  if (!analysis || !lease.sync || lease.matter_id === null) return null
  const { thread_id, run_id } = lease
  return { thread_id, run_id, ...AnalysisOutput.parse(analysis) }
}

function parseDocuments({ documents = [] }: SkillResult<unknown>, lease: Lease): DocumentUpload[] {
  if (!lease.sync || lease.matter_id === null) return []
  // The document is the client's, whoever of them and their lawyers confirmed it.
  const user_id = resolveClientId(lease) ?? 'system'
  return documents.map((each) => ({ ...DocumentOutput.parse(each), user_id }))
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
  const { effects, analysis } = collectEffects(state, outcomes)
  const last = outcomes.at(-1)
  return {
    state: {
      ...state,
      ...Object.fromEntries(outputs),
      facts: Object.assign({}, state.facts, ...outcomes.map(({ facts }) => facts)),
      work: outcomes.reduce(
        (work, { skill, ask }) => recordWork(work, state.table, skill, ask !== null),
        state.work,
      ),
      ...(analysis && { analysis }),
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
    effects,
    ...(last && { skill_version: last.version }),
  }
}

/** The effects of the skills in their order, and the analysis after them. */
function collectEffects(state: State, outcomes: SkillOutcome[]) {
  const effects: Effect[] = []
  let { analysis } = state
  for (const outcome of outcomes) {
    if (outcome.products) effects.push({ kind: 'sync', body: outcome.products })
    for (const body of outcome.documents) effects.push({ kind: 'document', body })
    if (!outcome.analysis) continue
    const added = addToAnalysis(analysis, outcome.analysis)
    effects.push(added.effect)
    analysis = added.open
  }
  return { effects, analysis }
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
