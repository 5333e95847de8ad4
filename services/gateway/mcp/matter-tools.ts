import type { McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { callService, formatQuery, type ToolCaller } from './call-service.ts'
import { runTool, toResult } from './result.ts'

const path = '/api/v1/matters'
const readOnly = { readOnlyHint: true, openWorldHint: false }
const Paging = { page: z.int().min(1).optional(), size: z.int().min(1).max(100).optional() }

/** Tools that read the matters of the person. */
export function registerMatterTools(server: McpServer, caller: ToolCaller) {
  const read = (source: string) =>
    runTool(async () => toResult(await callService(caller, 'matter-service', source)))

  server.registerTool(
    'list_matters',
    {
      title: 'List matters',
      description: 'Lists the matters that the person may read.',
      inputSchema: z.object({
        q: z.string().max(200).optional().describe('Text in the title.'),
        status: z.string().max(50).optional(),
        ...Paging,
      }),
      annotations: readOnly,
    },
    (query) => read(`${path}${formatQuery(query)}`),
  )

  server.registerTool(
    'get_matter',
    {
      title: 'Get a matter',
      description: 'Gets a matter with its profile and data.',
      inputSchema: z.object({ matter_id: z.uuid() }),
      annotations: readOnly,
    },
    ({ matter_id }) => read(`${path}/${matter_id}`),
  )

  server.registerTool(
    'list_deliverables',
    {
      title: 'List deliverables',
      description: 'Lists the documents that were produced for a matter, with download addresses.',
      inputSchema: z.object({ matter_id: z.uuid(), ...Paging }),
      annotations: readOnly,
    },
    ({ matter_id, ...query }) => read(`${path}/${matter_id}/deliverables${formatQuery(query)}`),
  )
}
