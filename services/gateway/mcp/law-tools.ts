import type { McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { callService, type ToolCaller } from './call-service.ts'
import { runTool, toResult } from './result.ts'

const AsOf = z.iso
  .date()
  .optional()
  .describe('Day on which the law must be in force. Default: today.')
const readOnly = { readOnlyHint: true, openWorldHint: false }

/** Tools about the law: search, citations, calculators. */
export function registerLawTools(server: McpServer, caller: ToolCaller) {
  server.registerTool(
    'search_statutes',
    {
      title: 'Search statutes',
      description: 'Searches statutes and the knowledge bases that the person may read.',
      inputSchema: z.object({
        query: z.string().min(1).max(2_000),
        top_k: z.int().min(1).max(50).default(10),
        as_of: AsOf,
      }),
      annotations: readOnly,
    },
    (input) =>
      runTool(async () =>
        toResult(await callService(caller, 'knowledge-service', '/api/v1/knowledge/query', input)),
      ),
  )

  server.registerTool(
    'verify_citations',
    {
      title: 'Verify citations',
      description: 'Checks every citation of a statute in a text: existence, force and wording.',
      inputSchema: z.object({ text: z.string().min(1).max(100_000), as_of: AsOf }),
      annotations: readOnly,
    },
    (input) =>
      runTool(async () =>
        toResult(
          await callService(caller, 'platform-service', '/api/v1/ai/citations/verify', input),
        ),
      ),
  )

  server.registerTool(
    'list_calculators',
    {
      title: 'List calculators',
      description: 'Lists the calculators with the JSON Schema of their inputs.',
      inputSchema: z.object({}),
      annotations: readOnly,
    },
    () =>
      runTool(async () =>
        toResult(await callService(caller, 'platform-service', '/api/v1/ai/calculators')),
      ),
  )

  server.registerTool(
    'calculate',
    {
      title: 'Calculate',
      description:
        'Runs a calculator (interest, severance, fees, deadlines …) and shows every step.',
      inputSchema: z.object({
        calculator: z.string().regex(/^[a-z0-9_]{1,60}$/),
        inputs: z.record(z.string(), z.unknown()),
      }),
      annotations: readOnly,
    },
    ({ calculator, inputs }) =>
      runTool(async () =>
        toResult(
          await callService(
            caller,
            'platform-service',
            `/api/v1/ai/calculators/${calculator}`,
            inputs,
          ),
        ),
      ),
  )
}
