import type * as z from 'zod'

export interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string
  /** Images of a user's message, for models that accept them. */
  images?: Image[]
  tool_call_id?: string
  tool_calls?: ToolCall[]
}

/** An image file. Recorded requests do not contain its bytes, only its id. */
export interface Image {
  file_id: string
  media_type: string
  /** Base64. Absent before the model is called, or if the file could not be read. */
  data?: string
}

export interface ToolCall {
  id: string
  name: string
  /** JSON text of the model, unchecked. */
  arguments: string
}

export interface ToolDescription {
  name: string
  description: string
  /** JSON schema of the parameters. */
  parameters: object
}

/** One model call. Equal requests have equal hashes, so that recorded responses can be replayed. */
export interface ModelRequest {
  messages: Message[]
  tools?: ToolDescription[]
  /** Requests JSON of this schema. */
  schema?: { name: string; schema: object }
  temperature?: number
  max_tokens?: number
}

export interface ModelResponse {
  text: string
  tool_calls: ToolCall[]
  model: string
  input_tokens: number
  output_tokens: number
  /** Input tokens that the server had cached; part of `input_tokens`. */
  cached_tokens?: number
  /** True if the server reported no usage and the counts are estimates. */
  estimated?: boolean
  finish: string
}

export interface StreamCallbacks {
  signal: AbortSignal
  /** Called with each piece of text. */
  onText?(text: string): void
  /** The call is repeated: text so far is discarded. */
  onRestart?(): void
}

/** Calls a model, with retries where they are safe. The engine records the response. */
export type Complete = (request: ModelRequest, callbacks: StreamCallbacks) => Promise<ModelResponse>

/** Model interface of a skill. */
export interface Model {
  /** Streams a reply. The model can call only the tools that the skill declares. */
  chat(request: {
    system: string
    messages: Message[]
    onText?(text: string): void
    /** Text so far is discarded; the part that is still valid is emitted again. */
    onRestart?(): void
  }): Promise<string>
  /** Returns JSON of a schema, or undefined if the response does not match after one repair; use rules then. */
  object<Schema extends z.ZodType>(
    schema: Schema,
    request: { name: string; system: string; prompt: string },
  ): Promise<z.output<Schema> | undefined>
}
