import * as z from 'zod'
import { fencedJson } from './fence.ts'
import { attachImages } from './images.ts'
import { extractJson, portableSchema } from './json.ts'
import type {
  Complete,
  Image,
  Message,
  Model,
  ModelResponse,
  ToolCall,
  ToolDescription,
} from './model.ts'
import { ModelError } from './model-error.ts'

/** A tool bound to a run. Its access is fixed before the model is called. */
export interface BoundTool {
  description: string
  parameters: z.ZodType
  run(input: unknown): Promise<unknown>
}

export interface ModelOptions {
  /** Tools that the model may call, by name. */
  tools?: Record<string, BoundTool>
  signal: AbortSignal
  /** Lists the images of the conversation, for a model that accepts them. */
  listImages?(): Promise<Image[]>
  /** Called for each tool call that is not executed. */
  onRefused?(call: { name: string; why: RefusalReason }): void
}
type RefusalReason = 'unlisted' | 'arguments' | 'too_many' | 'failed'

/**
 * Limits of one reply: model calls with tools, tool calls per model call, continuations of a truncated reply, and
 * characters after which neither follows. An event of the run holds the whole reply.
 */
const limits = { rounds: 4, calls: 8, continuations: 3, characters: 200_000 }

/** Builds the model interface of a skill. It reaches only the given tools and a bounded number of calls. */
export function makeModel(complete: Complete, options: ModelOptions): Model {
  const { tools = {}, signal } = options
  const toolDescriptions = Object.entries(tools).map(describe)

  return {
    async chat({ system, messages, onText, onRestart }) {
      const images = (await options.listImages?.()) ?? []
      const transcript: Message[] = [
        { role: 'system', content: system },
        ...attachImages(messages, images),
      ]
      const callIds = new Set<string>()
      let reply = ''
      let round = 1
      let continuations = 0
      // A continuation starts in the middle of a sentence; other rounds start a paragraph.
      let joint = ''
      for (;;) {
        const hasRoom = () => reply.length < limits.characters
        const allowTools = round < limits.rounds && toolDescriptions.length > 0 && hasRoom()
        const previousText = reply
        const start = joint
        let separator = start
        const answer = await complete(
          { messages: [...transcript], ...(allowTools && { tools: toolDescriptions }) },
          {
            signal,
            onText(words) {
              onText?.(separator + words)
              separator = ''
            },
            onRestart() {
              onRestart?.()
              if (previousText !== '') onText?.(previousText)
              separator = start
            },
          },
        )
        reply = previousText + (answer.text === '' ? '' : start + answer.text)
        joint = reply === '' ? '' : '\n\n'
        if (isCut(answer) && hasRoom() && continuations++ < limits.continuations) {
          transcript.push({ role: 'assistant', content: answer.text }, continueMessage)
          joint = ''
          continue
        }
        if (isCut(answer)) {
          onText?.(cutNote)
          return reply + cutNote
        }
        if (!allowTools || answer.tool_calls.length === 0) return reply
        round++
        const tool_calls = withOwnIds(answer.tool_calls, callIds)
        transcript.push({ role: 'assistant', content: answer.text, tool_calls })
        // Concurrent; the results are in the order of the calls, whatever their speed.
        transcript.push(...(await Promise.all(tool_calls.map(runToolCall))))
      }
    },

    async object(schema, { name, system, prompt }) {
      const messages: Message[] = [
        { role: 'system', content: system },
        { role: 'user', content: prompt },
      ]
      const responseSchema = { name, schema: portableSchema(schema) }
      for (const last of [false, true]) {
        const text = await completeText({
          messages: [...messages],
          schema: responseSchema,
          temperature: 0,
        })
        if (text === undefined) return undefined
        const parsed = schema.safeParse(extractJson(text))
        if (parsed.success) return parsed.data
        if (last) return undefined
        messages.push(
          { role: 'assistant', content: text.slice(0, 8_000) },
          { role: 'user', content: repairPrompt(parsed.error) },
        )
      }
    },
  }

  /** Returns undefined if the model fails; skills fall back to their rules. */
  async function completeText(request: Parameters<Complete>[0]): Promise<string | undefined> {
    try {
      return (await complete(request, { signal })).text
    } catch (thrown) {
      if (thrown instanceof ModelError) return undefined
      throw thrown
    }
  }

  async function runToolCall(call: ToolCall, at: number): Promise<Message> {
    const result = await executeTool(call, at)
    return {
      role: 'tool',
      tool_call_id: call.id,
      content: fencedJson(Object.hasOwn(tools, call.name) ? call.name : 'error', result),
    }
  }

  async function executeTool({ name, arguments: text }: ToolCall, at: number): Promise<unknown> {
    const refuse = (why: RefusalReason, error: string) => {
      options.onRefused?.({ name: name.slice(0, 100).toWellFormed(), why })
      return { error }
    }
    if (!Object.hasOwn(tools, name)) return refuse('unlisted', 'There is no such tool.')
    if (at >= limits.calls) return refuse('too_many', 'Too many calls at once.')
    const input = tools[name]!.parameters.safeParse(extractJson(text || '{}'))
    if (!input.success) return refuse('arguments', z.prettifyError(input.error).slice(0, 1_000))
    try {
      return await tools[name]!.run(input.data)
    } catch {
      signal.throwIfAborted()
      return refuse('failed', 'The tool failed.')
    }
  }
}

/** Gives each call of a conversation an id of its own: a result names its call by the id alone. */
const withOwnIds = (calls: ToolCall[], used: Set<string>): ToolCall[] =>
  calls.map((call) => {
    let { id } = call
    while (used.has(id)) id += '_'
    used.add(id)
    return { ...call, id }
  })

const isCut = ({ finish, text, tool_calls }: ModelResponse) =>
  finish === 'length' && text !== '' && tool_calls.length === 0

const continueMessage: Message = {
  role: 'user',
  content:
    'Your answer was cut off. Continue exactly where it stopped, without repeating anything.',
}
const cutNote = '\n\n（回答过长，已被截断。The answer was too long and was cut off.）'

const describe = ([name, { description, parameters }]: [string, BoundTool]): ToolDescription => ({
  name,
  description,
  parameters: portableSchema(parameters),
})

const repairPrompt = (error: z.ZodError) =>
  `That does not fit the schema:\n${z.prettifyError(error).slice(0, 2_000)}\nAnswer again, with the corrected JSON and nothing else.`
