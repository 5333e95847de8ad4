import * as z from 'zod'
import { loadedImages } from './images.ts'
import { extractJson } from './json.ts'
import type { Message, ModelRequest } from './model.ts'
import { malformedResponse, truncatedResponse } from './model-error.ts'
import { type Features, schemaInstruction, trimBase, type Wire } from './wire.ts'
import { Count } from './wire-openai.ts'

const Part = z.looseObject({
  text: z.string().nullish(),
  thought: z.boolean().nullish(),
  functionCall: z.looseObject({ name: z.string(), args: z.unknown().optional() }).nullish(),
})

const StreamEvent = z.looseObject({
  candidates: z
    .array(
      z.looseObject({
        content: z.looseObject({ parts: z.array(Part).nullish() }).nullish(),
        finishReason: z.string().nullish(),
      }),
    )
    .nullish(),
  usageMetadata: z
    .looseObject({
      promptTokenCount: Count.nullish(),
      candidatesTokenCount: Count.nullish(),
      thoughtsTokenCount: Count.nullish(),
      cachedContentTokenCount: Count.nullish(),
    })
    .nullish()
    .catch(null),
  error: z.unknown().optional(),
})

/** The Gemini API of Google. Parts with thoughts are not read. */
export const googleWire: Wire = {
  buildCall: (endpoint, request, features) => ({
    url: `${trimBase(endpoint)}/models/${encodeURIComponent(endpoint.model)}:streamGenerateContent?alt=sse`,
    headers: headersFor(endpoint.apiKey),
    body: buildBody(request, features),
  }),

  takeEvent(event, assembler) {
    const parsed = StreamEvent.safeParse(event)
    if (!parsed.success) throw malformedResponse()
    const { candidates, usageMetadata: usage, error } = parsed.data
    if (error) throw truncatedResponse()
    if (usage) {
      assembler.setUsage({
        input_tokens: usage.promptTokenCount ?? 0,
        output_tokens: (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0),
        ...(usage.cachedContentTokenCount != null && {
          cached_tokens: usage.cachedContentTokenCount,
        }),
      })
    }
    const candidate = candidates?.[0]
    let called = false
    for (const { text, thought, functionCall } of candidate?.content?.parts ?? []) {
      if (text && !thought) assembler.addText(text)
      if (!functionCall) continue
      called = true
      // The API has no ids of calls.
      assembler.addToolCall({
        id: `call_${crypto.randomUUID()}`,
        name: functionCall.name,
        arguments: JSON.stringify(functionCall.args ?? {}),
      })
    }
    const finish = candidate?.finishReason
    if (finish)
      assembler.setFinish(finish === 'MAX_TOKENS' ? 'length' : called ? 'tool_calls' : 'stop')
  },

  buildCheck: (endpoint) => ({
    url: `${trimBase(endpoint)}/models`,
    headers: headersFor(endpoint.apiKey),
  }),
}

const headersFor = (apiKey: string | undefined): Record<string, string> =>
  apiKey ? { 'x-goog-api-key': apiKey } : {}

function buildBody(request: ModelRequest, features: Features) {
  const { messages, tools = [], schema, temperature, max_tokens } = request
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content)
  if (schema && features.json !== 'json_schema') system.push(schemaInstruction(schema.schema))
  return {
    ...(system.length > 0 && { systemInstruction: { parts: [{ text: system.join('\n\n') }] } }),
    contents: toContents(messages),
    ...(tools.length > 0 && {
      tools: [
        {
          functionDeclarations: tools.map(({ name, description, parameters }) => ({
            name,
            description,
            parametersJsonSchema: parameters,
          })),
        },
      ],
    }),
    generationConfig: {
      ...(features.temperature && { temperature }),
      ...(max_tokens !== undefined && { maxOutputTokens: max_tokens }),
      ...(schema && features.json !== 'text' && { responseMimeType: 'application/json' }),
      ...(schema && features.json === 'json_schema' && { responseJsonSchema: schema.schema }),
    },
  }
}

/** Turns of the conversation. A result of a function names the function, not the call. */
function toContents(messages: Message[]) {
  const names = new Map(
    messages.flatMap(({ tool_calls = [] }) =>
      tool_calls.map(({ id, name }) => [id, name] as const),
    ),
  )
  const contents: { role: 'user' | 'model'; parts: object[] }[] = []
  for (const message of messages) {
    if (message.role === 'system') continue
    const role = message.role === 'assistant' ? 'model' : 'user'
    const parts = toParts(message, names)
    const last = contents.at(-1)
    if (last?.role === role) last.parts.push(...parts)
    else contents.push({ role, parts })
  }
  return contents
}

function toParts(message: Message, names: Map<string, string>): object[] {
  const { role, content, tool_call_id = '', tool_calls = [] } = message
  if (role === 'tool') {
    const name = names.get(tool_call_id) ?? tool_call_id
    return [{ functionResponse: { name, response: { result: content } } }]
  }
  return [
    ...loadedImages(message.images).map(({ media_type, data }) => ({
      inlineData: { mimeType: media_type, data },
    })),
    ...(content === '' ? [] : [{ text: content }]),
    ...tool_calls.map(({ name, arguments: input }) => ({
      functionCall: { name, args: extractJson(input) ?? {} },
    })),
  ]
}
