import type * as z from 'zod'
import type { Client } from '../_kit/peer.ts'

/** Whose run it is: settled by the engine, never by what a model or a person writes. */
export interface ToolContext {
  organization_id: string
  /** Empty where the run is nobody's. */
  user_id: string
  matter_id: string | null
  file_ids: string[]
  /** The day the run began. */
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
