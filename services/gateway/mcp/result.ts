import type { CallToolResult } from '@modelcontextprotocol/server'
import { toFault } from '../../_kit/fault.ts'

/** A tool result with data, as text for models and as structured content for programs. */
export const toResult = (data: unknown): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(data) }],
  structuredContent: { data } as Record<string, unknown>,
})

/** A failure that the model can read and act on. Unexpected errors reveal nothing. */
export function toErrorResult(thrown: unknown): CallToolResult {
  const { code, message, data } = toFault(thrown)
  return {
    isError: true,
    content: [{ type: 'text', text: JSON.stringify({ code, message, data }) }],
  }
}

/** Runs a tool: a fault becomes an error result. */
export const runTool = async <T>(work: () => Promise<T>): Promise<T | CallToolResult> =>
  work().catch(toErrorResult)
