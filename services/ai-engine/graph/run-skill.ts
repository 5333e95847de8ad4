import type { Node, NodeContext, Outcome } from '../run/graph.ts'
import { Products, type Skill, type SkillResult } from '../skill.ts'
import { requestedCard } from './requested-card.ts'
import { bindModelFor, bindToolsFor } from './skill-bindings.ts'
import type { State } from './state.ts'
import type { WorkbenchDeps } from './workbench-deps.ts'

/** Runs the dispatched skill. Its tokens are not part of the reply. */
export const runSkill =
  (deps: WorkbenchDeps): Node<State> =>
  async (state, context) => {
    const task = state.round.task!
    const began = performance.now()
    const outcome = await runNamedSkill(deps, state, context, task.skill, 'run_skill')
    const duration_ms = Math.round(performance.now() - began)
    return { ...outcome, events: [['task_end', { ...task, status: 'completed', duration_ms }]] }
  }

/** Emits the reply: the replies of the skills of this round, or else the answer of the skill `chat`. */
export const chatRespond =
  (deps: WorkbenchDeps): Node<State> =>
  async (state, context) => {
    const { round } = state
    const outcome: Outcome<State> =
      round.reply === ''
        ? await runNamedSkill(deps, state, context, 'chat', 'chat_respond')
        : {
            state: { ...state, round: { ...round, done: [...round.done, 'chat'] } },
            next: 'sync_data',
          }
    if (round.reply !== '' || context.settle('chat_respond') === '')
      context.emit('token', { node: 'chat_respond', content: outcome.state.round.reply })
    // The stored reply is the text that clients received, also after restarts.
    const reply = context.settle('chat_respond')
    return { ...outcome, state: { ...outcome.state, round: { ...outcome.state.round, reply } } }
  }

async function runNamedSkill(
  deps: WorkbenchDeps,
  state: State,
  context: NodeContext,
  name: string,
  node: string,
): Promise<Outcome<State>> {
  const skill = deps.skills.find((each) => each.name === name)
  if (!skill) throw { code: 'UNKNOWN_SKILL', message: `Skill ${name} is not installed any more.` }
  const result = await context.span('skill', name, () =>
    invokeSkill(deps, skill, state, context, node),
  )
  return {
    ...applyResult(skill, state, result),
    products: parseProducts(result, context),
    skill_version: skill.version,
  }
}

async function invokeSkill(
  deps: WorkbenchDeps,
  skill: Skill,
  state: State,
  context: NodeContext,
  node: string,
) {
  const { round } = state
  const inputs = skill.code.inputs.safeParse(collectInputs(skill, state))
  if (!inputs.success) {
    const [issue] = inputs.error.issues
    const message = `Skill ${skill.name} cannot start: invalid input ${issue?.path.join('.')}: ${issue?.message}`
    throw { code: 'SKILL_INPUT', message }
  }
  const tools = bindToolsFor(deps, skill, state, context)
  return skill.code.run({
    inputs: inputs.data,
    state: skillState(state, skill.name),
    answered: round.answered?.skill === skill.name ? round.answered : null,
    model: bindModelFor(deps, skill, context, tools),
    instructions: skill.instructions,
    tools: Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, tool.run])),
    emitText: (content) => context.emit('token', { node, content }),
    discardText: () => context.discardText({ node }),
    progress: (message, percent) =>
      context.emit('progress', { node, message, ...(percent === undefined ? {} : { percent }) }),
    signal: context.signal,
    // The day on which the run started, so that a replay makes the same requests.
    today: context.lease.started_at.slice(0, 10),
  })
}

/** The members of the state that the skill declares as inputs. */
const collectInputs = (skill: Skill, state: State) =>
  Object.fromEntries(
    Object.keys(skill.inputs).map((name) => [
      name,
      name === 'message' ? state.round.message : state[name],
    ]),
  )

const skillState = (state: State, name: string) => (state[name] ?? {}) as Record<string, unknown>

/** Merges the output into the skill's own state. */
function applyResult(skill: Skill, state: State, result: SkillResult<unknown>): Outcome<State> {
  const { name } = skill
  const output = skill.code.outputs.safeParse(result.output)
  if (!output.success) {
    const [issue] = output.error.issues
    const message = `Skill ${name} returned invalid output: ${issue?.path.join('.')}: ${issue?.message}`
    throw { code: 'SKILL_OUTPUT', message }
  }
  const { round } = state
  const ask = requestedCard(skill, result)
  const reply = [round.reply, result.reply ?? ''].filter((text) => text !== '').join('\n\n')
  return {
    state: {
      ...state,
      [name]: { ...skillState(state, name), ...output.data },
      work: { ...state.work, [name]: ask ? 'waiting' : 'done' },
      round: { ...round, done: [...round.done, name], task: null, ask, reply },
    },
    next: 'sync_data',
  }
}

/** A branch without `sync` and a run without a matter sync nothing. */
function parseProducts({ products }: SkillResult<unknown>, { lease }: NodeContext): object | null {
  if (!products || !lease.sync || lease.matter_id === null) return null
  const parsed = Products.parse(products)
  return Object.keys(parsed).length > 0 ? parsed : null
}
