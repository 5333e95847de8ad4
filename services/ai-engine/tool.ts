import type * as z from 'zod'
import type { Client } from '../_kit/peer.ts'

/** Identity and peers of a run. Set by the engine, never by a model or a person. */
export interface ToolContext {
  /** Headers that identify the organization and the person for whom the run speaks. */
  headers: Record<string, string>
  /** Headers for what the reply may quote: the rights of the speaker and of the client who reads along. */
  readerHeaders: Record<string, string>
  /** The client of the matter, whose memory is recalled. Empty if the run has no user. */
  client_id: string
  matter_id: string | null
  file_ids: string[]
  /** Day on which the run started. */
  today: string
  memory: Client
  files: Client
  knowledge: Client
}

export interface ToolDefinition<Parameters extends z.ZodType = z.ZodType> {
  name: string
  description: string
  parameters: Parameters
  run(context: ToolContext, input: z.output<Parameters>): Promise<unknown>
}

export const defineTool = <Parameters extends z.ZodType>(
  tool: ToolDefinition<Parameters>,
): ToolDefinition<Parameters> => tool
