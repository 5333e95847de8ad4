import type { At, Node, Outcome } from '../run/graph.ts'
import { Products, type Skill, type Told } from '../skill.ts'
import { askOf } from './ask.ts'
import { modelFor, toolsFor } from './means.ts'
import type { State } from './state.ts'
import type { Workbench } from './workbench.ts'

/** Runs the skill that was dispatched; its words are its own, a person does not read them. */
export const runSkill =
  (given: Workbench): Node<State> =>
  async (state, at) => {
    const task = state.round.task!
    const began = performance.now()
    const outcome = await run(given, state, at, task.skill, 'run_skill')
    const duration_ms = Math.round(performance.now() - began)
    return { ...outcome, events: [['task_end', { ...task, status: 'completed', duration_ms }]] }
  }

/** What a person reads: what the skills of this round want said, or the answer of the skill `chat`. */
export const chatRespond =
  (given: Workbench): Node<State> =>
  async (state, at) => {
    const { round } = state
    if (round.reply === '') return run(given, state, at, 'chat', 'chat_respond')
    at.live('token', { node: 'chat_respond', content: round.reply })
    return {
      state: { ...state, round: { ...round, done: [...round.done, 'chat'] } },
      next: 'sync_data',
    }
  }

async function run(
  given: Workbench,
  state: State,
  at: At,
  name: string,
  node: string,
): Promise<Outcome<State>> {
  const skill = given.skills.find((each) => each.name === name)
  if (!skill) throw { code: 'UNKNOWN_SKILL', message: `There is no skill ${name} any more.` }
  const told = await at.span('skill', name, () => call(given, skill, state, at, node))
  return { ...settled(skill, state, told), products: productsOf(told, at) }
}

async function call(given: Workbench, skill: Skill, state: State, at: At, node: string) {
  const { round } = state
  const inputs = skill.code.inputs.safeParse(inputsOf(skill, state))
  if (!inputs.success) {
    const [issue] = inputs.error.issues
    const message = `${skill.name} can't begin: ${issue?.path.join('.')}: ${issue?.message}`
    throw { code: 'SKILL_INPUT', message }
  }
  const tools = toolsFor(given, skill, state, at)
  return skill.code.run({
    inputs: inputs.data,
    part: partOf(state, skill.name),
    answered: round.answered?.skill === skill.name ? round.answered : null,
    model: modelFor(given, skill, at, tools),
    instructions: skill.instructions,
    tools: Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, tool.run])),
    say: (content) => at.live('token', { node, content }),
    unsay: at.restart,
    progress: (message, percent) =>
      at.live('progress', { node, message, ...(percent === undefined ? {} : { percent }) }),
    signal: at.signal,
    // The day the run began: a replay must ask what was asked then.
    today: at.lease.started_at.slice(0, 10),
  })
}

/** Of the state, what the skill says it reads, and nothing else. */
const inputsOf = (skill: Skill, state: State) =>
  Object.fromEntries(
    Object.keys(skill.inputs).map((name) => [
      name,
      name === 'message' ? state.round.message : state[name],
    ]),
  )

const partOf = (state: State, name: string) => (state[name] ?? {}) as Record<string, unknown>

/** What a skill put out goes into its own part, whatever it was that wrote it. */
function settled(skill: Skill, state: State, told: Told<unknown>): Outcome<State> {
  const { name } = skill
  const output = skill.code.outputs.safeParse(told.output)
  if (!output.success) {
    const [issue] = output.error.issues
    const message = `${name} put out what it may not: ${issue?.path.join('.')}: ${issue?.message}`
    throw { code: 'SKILL_OUTPUT', message }
  }
  const { round } = state
  const ask = askOf(skill, told)
  const reply = [round.reply, told.reply ?? ''].filter((text) => text !== '').join('\n\n')
  return {
    state: {
      ...state,
      [name]: { ...partOf(state, name), ...output.data },
      work: { ...state.work, [name]: ask ? 'waiting' : 'done' },
      round: { ...round, done: [...round.done, name], task: null, ask, reply },
    },
    next: 'sync_data',
  }
}

/** A branch that only asks "what if", or a run without a matter, tells nobody. */
function productsOf({ products }: Told<unknown>, { lease }: At): object | null {
  if (!products || !lease.sync || lease.matter_id === null) return null
  const parsed = Products.parse(products)
  return Object.keys(parsed).length > 0 ? parsed : null
}
