import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import type { Context } from 'hono'
import { jsonLimit } from '../../_kit/body.ts'
import type { Env } from '../../_kit/context.ts'
import { authenticate } from '../authenticate.ts'
import { requireCsrf } from '../authorize.ts'
import { type Deps, del, get, post } from '../deps.ts'
import { requireKnownOrigin } from '../known-origin.ts'
import { unauthenticated } from '../protected-resource.ts'
import type { ToolCaller } from './call-service.ts'
import { registerConsultationTools } from './consultation-tools.ts'
import { registerLawTools } from './law-tools.ts'
import { registerMatterTools } from './matter-tools.ts'

const content = {
  'application/json': { schema: { type: 'object' } },
  'text/event-stream': { schema: { type: 'string' } },
}
/** Errors of the protocol are JSON-RPC. */
const error = {
  content: {
    'application/json': {
      schema: {
        type: 'object',
        required: ['jsonrpc', 'error'],
        properties: { jsonrpc: { const: '2.0' }, error: { type: 'object' } },
      },
    },
  },
}
const faults = ['UNAUTHENTICATED', 'FORBIDDEN'] as const
const notSupported = { responses: { 200: { content }, 405: error }, faults }

/** MCP over streamable HTTP, stateless: every request has a server of its own that acts as the person. */
export const mcp = [
  post(
    '/mcp',
    {
      summary: 'Call the MCP server',
      stream: { 'application/json': { schema: { type: 'object' } } },
      responses: {
        200: { content },
        202: { content: {} },
        400: error,
        406: error,
        413: error,
        415: error,
      },
      faults,
    },
    serveMcp,
  ),
  get(
    '/mcp',
    { ...notSupported, summary: 'Open an MCP stream (not supported: stateless)' },
    serveMcp,
  ),
  del(
    '/mcp',
    { ...notSupported, summary: 'End an MCP session (not supported: stateless)' },
    serveMcp,
  ),
]

async function serveMcp(c: Context<Env<Deps>>): Promise<Response> {
  requireKnownOrigin(c)
  const principal = await authenticate(c)
  if (!principal) throw unauthenticated(c, '/mcp')
  requireCsrf(principal, c.req.raw)
  const handler = createMcpHandler(() => buildServer({ c, principal }, c.env.kit.version), {
    maxRequestBodySize: jsonLimit,
  })
  return handler.fetch(c.req.raw)
}

function buildServer(caller: ToolCaller, version: string): McpServer {
  const server = new McpServer(
    { name: 'legal-suite', title: 'Legal suite', version },
    {
      instructions:
        'Search statutes and verify citations before you state the law. Calculators show every step. A consultation may wait for a card: call answer_card.',
    },
  )
  registerLawTools(server, caller)
  registerMatterTools(server, caller)
  registerConsultationTools(server, caller)
  return server
}
