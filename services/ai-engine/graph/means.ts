import { type BoundTool, makeModel } from '../model/make-model.ts'
import type { Complete, Model, ModelAnswer } from '../model/model.ts'
import type { At } from '../run/graph.ts'
import type { Skill } from '../skill.ts'
import { bindTools } from '../tools.ts'
import type { State } from './state.ts'
import type { Workbench } from './workbench.ts'

/** The tools that the skill lists, for this run's tenant; what they answer is recorded. */
export function toolsFor(given: Workbench, skill: Skill, state: State, at: At) {
  const { organization_id, user_id, matter_id } = at.lease
  const bound = bindTools(skill.tools, {
    organization_id,
    user_id: user_id ?? '',
    matter_id,
    file_ids: state.file_ids,
    memory: given.memory,
    files: given.files,
    knowledge: given.knowledge,
    today: at.lease.started_at.slice(0, 10),
  })
  return Object.fromEntries(
    Object.entries(bound).map(([name, tool]): [string, BoundTool] => [
      name,
      { ...tool, run: recordedTool(at, skill, name, tool.run) },
    ]),
  )
}

const recordedTool =
  (at: At, skill: Skill, name: string, run: BoundTool['run']): BoundTool['run'] =>
  (request) =>
    at.span('tool', name, async (attributes) => {
      const call = { kind: 'tool' as const, skill: skill.name, name, request }
      const { answer, read } = await at.recorded(call, async () => ({ answer: await run(request) }))
      if (read) attributes.recorded = true
      return answer
    })

/** The model as this skill may use it: within its tools, and with every answer recorded. */
export function modelFor(
  { model }: Workbench,
  skill: Skill,
  at: At,
  tools: Record<string, BoundTool>,
): Model | null {
  if (!model) return null
  const refusals: { name: string; why: string }[] = []
  const complete: Complete = (request, heard) =>
    at.span('model', model.name, async (attributes) => {
      let streamed = false
      const { answer, read } = await at.recorded(
        { kind: 'model', skill: skill.name, name: model.name, request },
        async () => {
          const told = await model.complete(request, {
            ...heard,
            onText(words) {
              streamed = true
              heard.onText?.(words)
            },
          })
          return {
            answer: told,
            input_tokens: told.input_tokens,
            output_tokens: told.output_tokens,
          }
        },
      )
      const given = answer as ModelAnswer
      if (!streamed && given.text !== '') heard.onText?.(given.text)
      const { input_tokens, output_tokens, finish } = given
      Object.assign(attributes, {
        input_tokens,
        output_tokens,
        finish,
        ...(read && { recorded: true }),
      })
      if (refusals.length > 0) attributes.refused = refusals.splice(0)
      return given
    })
  return makeModel(complete, { tools, signal: at.signal, refused: (call) => refusals.push(call) })
}
