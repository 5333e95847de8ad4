import type * as z from 'zod'

export interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string
  tool_call_id?: string
  tool_calls?: ToolCall[]
}

export interface ToolCall {
  id: string
  name: string
  /** JSON text as the model wrote it: data, to be checked. */
  arguments: string
}

export interface ToolDescription {
  name: string
  description: string
  /** A JSON schema of what it takes. */
  parameters: object
}

/** One call of a model; equal requests have equal hashes, so a recorded answer can stand in. */
export interface ModelRequest {
  messages: Message[]
  tools?: ToolDescription[]
  /** Ask for JSON of this shape. */
  schema?: { name: string; schema: object }
  temperature?: number
  max_tokens?: number
}

export interface ModelAnswer {
  text: string
  tool_calls: ToolCall[]
  model: string
  input_tokens: number
  output_tokens: number
  /** The server counted no tokens: these are our estimate. */
  estimated?: boolean
  finish: string
}

export interface StreamCallbacks {
  signal: AbortSignal
  /** Words as they come. */
  onText?(text: string): void
  /** The call broke off after some words and begins again: those words are void. */
  onRestart?(): void
}

/** Calls a model once, trying again where that is safe. The engine records what it answers. */
export type Complete = (request: ModelRequest, callbacks: StreamCallbacks) => Promise<ModelAnswer>

/** What a skill sees of a model. */
export interface Model {
  /** Words for a person, streamed; tools are those the skill lists, and none other can be called. */
  chat(request: {
    system: string
    messages: Message[]
    onText?(text: string): void
    /** All words so far are void; those that still count come again. */
    onRestart?(): void
  }): Promise<string>
  /** JSON of a shape; undefined when what came did not fit even after one repair: use the rules then. */
  object<Schema extends z.ZodType>(
    schema: Schema,
    request: { name: string; system: string; prompt: string },
  ): Promise<z.output<Schema> | undefined>
}
