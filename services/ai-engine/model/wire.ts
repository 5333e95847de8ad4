import type { Assembler } from './assembly.ts'
import type { ModelRequest } from './model.ts'

/** Address and credentials of a model. */
export interface Endpoint {
  /** Base URL with the version: `https://api.openai.com/v1`. */
  baseUrl: string
  apiKey?: string | undefined
  model: string
  /** Version of the API of Azure. */
  apiVersion?: string | undefined
}

/** Ways to request JSON, strictest first. If a server rejects one, the next is used. */
export const jsonModes = ['json_schema', 'json_object', 'text'] as const

/** Features that a server accepts; learned from its refusals. */
export interface Features {
  json: (typeof jsonModes)[number]
  temperature: boolean
  /** Name of the limit of output tokens. */
  maxTokens: 'max_tokens' | 'max_completion_tokens'
  streamOptions: boolean
  images: boolean
}

export const allFeatures: Features = {
  json: 'json_schema',
  temperature: true,
  maxTokens: 'max_tokens',
  streamOptions: true,
  images: true,
}

export interface HttpCall {
  url: string
  headers: Record<string, string>
  body?: unknown
}

/** Wire format of a provider. */
export interface Wire {
  buildCall(endpoint: Endpoint, request: ModelRequest, features: Features): HttpCall
  /** Reads one event of a stream, or the complete response of a server that does not stream. */
  takeEvent(event: unknown, assembler: Assembler): void
  /** Cheap request that shows whether the server is reachable. */
  buildCheck(endpoint: Endpoint): HttpCall
}

export const trimBase = ({ baseUrl }: Endpoint) => baseUrl.replace(/\/+$/, '')

/** Instruction for a server that cannot enforce the schema. */
export const schemaInstruction = (schema: object) =>
  `Answer with JSON that fits this JSON schema, and with nothing else:\n${JSON.stringify(schema)}`
