import * as z from 'zod'
import { loadedImages } from './images.ts'
import type { Message, ModelRequest } from './model.ts'
import { malformedResponse, truncatedResponse } from './model-error.ts'
import { type Features, schemaInstruction, trimBase, type Wire } from './wire.ts'

const Call = z.object({
  index: z.int().min(0).nullish(),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
})

/** Members with reasoning output (`reasoning_content`, `reasoning`) are not read. */
const Delta = z.object({
  content: z.string().nullish(),
  tool_calls: z.array(Call).nullish(),
})

/** A number of tokens. The sum of three still fits the column of the recorded use. */
export const Count = z.int().min(0).max(500_000_000)
const Usage = z.object({
  prompt_tokens: Count,
  completion_tokens: Count,
  /** DeepSeek. */
  prompt_cache_hit_tokens: Count.nullish().catch(null),
  prompt_tokens_details: z.object({ cached_tokens: Count.nullish() }).nullish().catch(null),
})

/** A chunk of a stream, or the complete response of a server that does not stream. */
const Chunk = z.object({
  choices: z
    .array(
      z.object({
        delta: Delta.nullish(),
        message: Delta.nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  usage: Usage.nullish().catch(null),
  error: z.unknown().optional(),
})

const bearer = (apiKey: string | undefined): Record<string, string> =>
  apiKey ? { authorization: `Bearer ${apiKey}` } : {}

/** The chat completions API of OpenAI and of compatible servers. */
export const openAiWire: Wire = {
  buildCall: (endpoint, request, features) => ({
    url: `${trimBase(endpoint)}/chat/completions`,
    headers: bearer(endpoint.apiKey),
    body: { model: endpoint.model, ...buildBody(request, features) },
  }),

  takeEvent(event, assembler) {
    const chunk = Chunk.safeParse(event)
    if (!chunk.success) throw malformedResponse()
    if (chunk.data.error) throw truncatedResponse()
    const { usage } = chunk.data
    if (usage) {
      const cached = usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens
      assembler.setUsage({
        input_tokens: usage.prompt_tokens,
        output_tokens: usage.completion_tokens,
        ...(cached != null && { cached_tokens: cached }),
      })
    }
    const choice = chunk.data.choices?.[0]
    const delta = choice?.delta ?? choice?.message
    if (delta?.content) assembler.addText(delta.content)
    for (const { index, id, function: called } of delta?.tool_calls ?? [])
      assembler.addToolCall({ index, id, ...called })
    if (choice?.finish_reason) assembler.setFinish(choice.finish_reason)
  },

  buildCheck: (endpoint) => ({
    url: `${trimBase(endpoint)}/models`,
    headers: bearer(endpoint.apiKey),
  }),
}

/** Azure OpenAI: a deployment in the path, the key in a header of its own. */
export const azureWire: Wire = {
  ...openAiWire,
  buildCall: (endpoint, request, features) => ({
    url: `${trimBase(endpoint)}/openai/deployments/${encodeURIComponent(endpoint.model)}/chat/completions?api-version=${endpoint.apiVersion ?? '2024-10-21'}`,
    headers: endpoint.apiKey ? { 'api-key': endpoint.apiKey } : {},
    body: buildBody(request, features),
  }),
  buildCheck: (endpoint) => ({
    url: `${trimBase(endpoint)}/openai/models?api-version=${endpoint.apiVersion ?? '2024-10-21'}`,
    headers: endpoint.apiKey ? { 'api-key': endpoint.apiKey } : {},
  }),
}

function buildBody(request: ModelRequest, features: Features) {
  const { messages, tools = [], schema, temperature, max_tokens } = request
  const instructed = schema && features.json !== 'json_schema'
  return {
    messages: messages.map((message, at) =>
      toWireMessage(instructed && at === 0 ? addInstruction(message, schema.schema) : message),
    ),
    stream: true,
    ...(features.streamOptions && { stream_options: { include_usage: true } }),
    ...(tools.length > 0 && { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
    ...(schema && responseFormat(schema, features.json)),
    ...(features.temperature && { temperature }),
    ...(max_tokens !== undefined && { [features.maxTokens]: max_tokens }),
  }
}

function responseFormat(schema: NonNullable<ModelRequest['schema']>, mode: Features['json']) {
  if (mode === 'text') return {}
  if (mode === 'json_object') return { response_format: { type: 'json_object' } }
  return { response_format: { type: 'json_schema', json_schema: schema } }
}

const addInstruction = (message: Message, schema: object): Message => ({
  ...message,
  content: `${message.content}\n\n${schemaInstruction(schema)}`,
})

const toWireMessage = ({ tool_calls, images, ...message }: Message) => ({
  ...message,
  content: toWireContent(message.content, loadedImages(images)),
  ...(tool_calls && {
    tool_calls: tool_calls.map(({ id, ...called }) => ({ id, type: 'function', function: called })),
  }),
})

/** Text alone, or parts if there are images. */
const toWireContent = (text: string, images: ReturnType<typeof loadedImages>) =>
  images.length === 0
    ? text
    : [
        ...(text === '' ? [] : [{ type: 'text', text }]),
        ...images.map(({ media_type, data }) => ({
          type: 'image_url',
          image_url: { url: `data:${media_type};base64,${data}` },
        })),
      ]
