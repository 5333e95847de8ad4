import { storableText } from '../../_kit/storable.ts'
import type { Node, NodeContext, Outcome } from '../run/graph.ts'
import type { Skill } from '../skill.ts'
import { applyResults, type SkillOutcome, skillState, toSkillOutcome } from './apply-results.ts'
import { bindModelFor, bindToolsFor } from './skill-bindings.ts'
import type { State } from './state.ts'
import type { WorkbenchDeps } from './workbench-deps.ts'

/** Emits the reply: the replies of the skills of this round, or else the reply of the skill `chat`. */
export const chatRespond =
  (deps: WorkbenchDeps): Node<State> =>
  async (state, context) => {
    const { round } = state
    const outcome: Outcome<State> =
      round.reply === ''
        ? applyResults(state, [
            await context.span('skill', 'chat', () =>
              runNamedSkill(deps, state, context, 'chat', 'chat_respond'),
            ),
          ])
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

/** Runs a skill and validates what it returns. */
export async function runNamedSkill(
  deps: WorkbenchDeps,
  state: State,
  context: NodeContext,
  name: string,
  node: string,
): Promise<SkillOutcome> {
  const skill = deps.skills.find((each) => each.name === name)
  if (!skill) throw { code: 'UNKNOWN_SKILL', message: `Skill ${name} is not installed any more.` }
  const result = await invokeSkill(deps, skill, state, context, node)
  return toSkillOutcome(skill, result, context.lease)
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
    model: bindModelFor(deps, skill, state, context, tools),
    instructions: skill.instructions,
    tools: Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, tool.run])),
    emitText: (content) => context.emit('token', { node, content: storableText(content) }),
    discardText: () => context.discardText({ node }),
    progress: (message, percent) =>
      context.emit('progress', { node, message, ...(percent === undefined ? {} : { percent }) }),
    signal: context.signal,
    // The day on which the run started, so that a replay makes the same requests.
    today: context.lease.started_at.slice(0, 10),
    runtime: deps.runtime,
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
