import * as z from 'zod'
import { loadedImages } from './images.ts'
import { extractJson } from './json.ts'
import type { Message, ModelRequest } from './model.ts'
import { malformedResponse, truncatedResponse } from './model-error.ts'
import { type Features, schemaInstruction, trimBase, type Wire } from './wire.ts'
import { Count } from './wire-openai.ts'

/** The API requires a limit of output tokens. */
const defaultMaxTokens = 8_192

const Usage = z.object({
  input_tokens: Count.nullish(),
  output_tokens: Count.nullish(),
  cache_read_input_tokens: Count.nullish(),
  cache_creation_input_tokens: Count.nullish(),
})

const Block = z.looseObject({
  type: z.string(),
  text: z.string().nullish(),
  id: z.string().nullish(),
  name: z.string().nullish(),
  input: z.unknown().optional(),
})

const StreamEvent = z.looseObject({
  type: z.string(),
  index: z.int().min(0).nullish(),
  message: z.looseObject({ usage: Usage.nullish().catch(null) }).nullish(),
  content_block: Block.nullish(),
  delta: z
    .looseObject({
      type: z.string().nullish(),
      text: z.string().nullish(),
      partial_json: z.string().nullish(),
      stop_reason: z.string().nullish(),
    })
    .nullish(),
  usage: Usage.nullish().catch(null),
  content: z.array(Block).nullish(),
  stop_reason: z.string().nullish(),
})

const finishes: Record<string, string> = { max_tokens: 'length', tool_use: 'tool_calls' }

/** The messages API of Anthropic. Thinking blocks are not read. */
export const anthropicWire: Wire = {
  buildCall: (endpoint, request, features) => ({
    url: `${trimBase(endpoint)}/messages`,
    headers: headersFor(endpoint.apiKey),
    body: { model: endpoint.model, stream: true, ...buildBody(request, features) },
  }),

  takeEvent(event, assembler) {
    const parsed = StreamEvent.safeParse(event)
    if (!parsed.success) throw malformedResponse()
    const { type, message, content_block: block, delta, usage, content } = parsed.data
    if (type === 'error') throw truncatedResponse()
    takeUsage(message?.usage ?? usage)
    if (type === 'message') {
      for (const each of content ?? []) takeBlock(each, JSON.stringify(each.input ?? {}))
      assembler.setFinish(finishOf(parsed.data.stop_reason))
    }
    if (type === 'content_block_start' && block) takeBlock(block, '')
    if (delta?.type === 'text_delta') assembler.addText(delta.text ?? '')
    if (delta?.type === 'input_json_delta') assembler.addToolCall({ arguments: delta.partial_json })
    if (type === 'message_delta' && delta?.stop_reason)
      assembler.setFinish(finishOf(delta.stop_reason))
    if (type === 'message_stop') assembler.end()

    function takeBlock({ type, text, id, name }: z.infer<typeof Block>, input: string) {
      if (type === 'text' && text) assembler.addText(text)
      if (type === 'tool_use') assembler.addToolCall({ id, name, arguments: input })
    }

    /** Cached input is reported beside the rest of the input. */
    function takeUsage(counts: z.infer<typeof Usage> | null | undefined) {
      if (!counts) return
      const cached = counts.cache_read_input_tokens ?? 0
      const input = (counts.input_tokens ?? 0) + cached + (counts.cache_creation_input_tokens ?? 0)
      assembler.setUsage({
        ...(input > 0 && { input_tokens: input, cached_tokens: cached }),
        ...(counts.output_tokens != null && { output_tokens: counts.output_tokens }),
      })
    }
  },

  buildCheck: (endpoint) => ({
    url: `${trimBase(endpoint)}/models`,
    headers: headersFor(endpoint.apiKey),
  }),
}

const finishOf = (reason: string | null | undefined) => finishes[reason ?? ''] ?? 'stop'

const headersFor = (apiKey: string | undefined): Record<string, string> => ({
  'anthropic-version': '2023-06-01',
  ...(apiKey && { 'x-api-key': apiKey }),
})

function buildBody(
  { messages, tools = [], schema, temperature, max_tokens }: ModelRequest,
  features: Features,
) {
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content)
  if (schema) system.push(schemaInstruction(schema.schema))
  return {
    max_tokens: max_tokens ?? defaultMaxTokens,
    ...(system.length > 0 && { system: system.join('\n\n') }),
    messages: joinTurns(messages.filter(({ role }) => role !== 'system')),
    ...(tools.length > 0
      ? {
          tools: tools.map(({ name, description, parameters }) => ({
            name,
            description,
            input_schema: parameters,
          })),
        }
      : describeUsedTools(messages)),
    ...(features.temperature && { temperature }),
  }
}

/** The API rejects a conversation with tool calls that declares no tools, also where none may be called. */
function describeUsedTools(messages: Message[]) {
  const names = new Set(
    messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ name }) => name)),
  )
  if (names.size === 0) return {}
  return {
    tools: [...names].map((name) => ({ name, input_schema: { type: 'object' } })),
    tool_choice: { type: 'none' },
  }
}

interface WireTurn {
  role: 'user' | 'assistant'
  content: object[]
}

/** Joins neighbours of one role: results of parallel tool calls belong to one turn. */
function joinTurns(messages: Message[]): WireTurn[] {
  const turns: WireTurn[] = []
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const last = turns.at(-1)
    if (last?.role === role) last.content.push(...toBlocks(message))
    else turns.push({ role, content: toBlocks(message) })
  }
  return turns
}

function toBlocks({ role, content, images, tool_call_id, tool_calls = [] }: Message): object[] {
  if (role === 'tool') return [{ type: 'tool_result', tool_use_id: tool_call_id, content }]
  return [
    ...loadedImages(images).map((image) => ({
      type: 'image',
      source: { type: 'base64', ...image },
    })),
    ...(content === '' ? [] : [{ type: 'text', text: content }]),
    ...tool_calls.map(({ id, name, arguments: input }) => ({
      type: 'tool_use',
      id,
      name,
      input: extractJson(input) ?? {},
    })),
  ]
}
