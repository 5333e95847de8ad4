import { type BoundTool, makeModel } from '../model/make-model.ts'
import type { Complete, Model, ModelResponse } from '../model/model.ts'
import { estimateInput } from '../model/tokens.ts'
import type { NodeContext } from '../run/graph.ts'
import type { Skill } from '../skill.ts'
import type { Call, CallResult } from '../store/calls.ts'
import { bindTools } from '../tools.ts'
import { listImages, makeImageLoader } from './images.ts'
import { readerHeaders, resolveClientId, speakerHeaders } from './load-context.ts'
import type { State } from './state.ts'
import type { WorkbenchDeps } from './workbench-deps.ts'

/** Binds the tools of a skill to the tenant of the run. Results are recorded. */
export function bindToolsFor(
  deps: WorkbenchDeps,
  skill: Skill,
  state: State,
  context: NodeContext,
) {
  const { matter_id } = context.lease
  const bound = bindTools(skill.tools, {
    headers: speakerHeaders(context.lease),
    readerHeaders: readerHeaders(context.lease),
    client_id: resolveClientId(context.lease) ?? '',
    matter_id,
    file_ids: state.file_ids,
    memory: deps.memory,
    files: deps.files,
    knowledge: deps.knowledge,
    today: context.lease.started_at.slice(0, 10),
  })
  return Object.fromEntries(
    Object.entries(bound).map(([name, tool]): [string, BoundTool] => [
      name,
      { ...tool, run: recordTool(context, skill, name, tool.run) },
    ]),
  )
}

const recordTool =
  (context: NodeContext, skill: Skill, name: string, run: BoundTool['run']): BoundTool['run'] =>
  (request) =>
    context.span('tool', name, async (attributes) => {
      const call = { kind: 'tool' as const, skill: skill.name, name, request }
      const { answer, replayed } = await context.record(call, async () => ({
        answer: await run(request),
      }))
      if (replayed) attributes.recorded = true
      return answer
    })

/** Records a model call within the budgets. Its reservation ends when its use is committed. */
async function recordWithinBudget(
  { sql, budgets }: WorkbenchDeps,
  context: NodeContext,
  call: Call,
  tokens: number,
  perform: () => Promise<CallResult>,
) {
  if (!budgets) return context.record(call, perform)
  const reserved: (() => Promise<void>)[] = []
  try {
    const recorded = await context.record(call, async () => {
      reserved.push(await budgets.reserve(sql, context.lease, tokens))
      return perform()
    })
    if (reserved.length > 0) await context.flush()
    return recorded
  } finally {
    for (const release of reserved) await release()
  }
}

/** Binds the model to a skill: only its tools, with every response recorded. */
export function bindModelFor(
  deps: WorkbenchDeps,
  skill: Skill,
  state: State,
  context: NodeContext,
  tools: Record<string, BoundTool>,
): Model | null {
  const { model, files } = deps
  if (!model) return null
  const refusals: { name: string; why: string }[] = []
  const name = model.nameFor(skill.name)
  const callModel = model.completeFor(skill.name)
  const loadImages = makeImageLoader(files, context)
  const complete: Complete = (request, callbacks) =>
    context.span('model', name, async (attributes) => {
      let streamed = false
      const { answer, replayed } = await recordWithinBudget(
        deps,
        context,
        { kind: 'model', skill: skill.name, name, request },
        estimateInput(request.messages),
        async () => {
          const result = await callModel(await loadImages(request), {
            ...callbacks,
            onText(text) {
              streamed = true
              callbacks.onText?.(text)
            },
          })
          return {
            answer: result,
            input_tokens: result.input_tokens,
            output_tokens: result.output_tokens,
            cached_tokens: result.cached_tokens,
          }
        },
      )
      const completion = answer as ModelResponse
      if (!streamed && completion.text !== '') callbacks.onText?.(completion.text)
      const { input_tokens, output_tokens, cached_tokens, finish } = completion
      Object.assign(attributes, {
        input_tokens,
        output_tokens,
        finish,
        ...(cached_tokens !== undefined && { cached_tokens }),
        // The fallback model responded.
        ...(completion.model !== name && { answered_by: completion.model }),
        ...(replayed && { recorded: true }),
      })
      if (refusals.length > 0) attributes.refused = refusals.splice(0)
      return completion
    })
  return makeModel(complete, {
    tools,
    signal: context.signal,
    // Images are files: a skill that does not declare files as input does not send them.
    ...(skill.inputs.file_ids &&
      model.acceptsImages(skill.name) && {
        listImages: () => listImages(files, skill, state.file_ids, context),
      }),
    onRefused: (call) => refusals.push(call),
  })
}
