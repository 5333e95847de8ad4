import * as z from 'zod'
import { ok } from '../../_kit/endpoint.ts'
import { errorFields } from '../../_kit/log.ts'
import { post } from '../deps.ts'
import { SearchRequest } from '../search/query/request.ts'
import { SearchResponse } from '../search/response.ts'
import { Edge, emptySubgraph, GraphQuery, Node, Subgraph } from './graph.ts'
import { runGraphRag } from './rag.ts'

const GraphRagRequest = SearchRequest.extend({
  expand: z
    .boolean()
    .default(true)
    .describe('Also search documents that the graph connects with the first hits. Default: true.'),
  depth: z.int().min(1).max(3).default(1),
})

const GraphRagResponse = SearchResponse.extend({
  graph: z.object({
    enabled: z.boolean(),
    used: z.boolean(),
    nodes: z.array(Node),
    edges: z.array(Edge),
    seed_document_ids: z.array(z.string()),
    expanded_document_ids: z.array(z.string()),
  }),
})

const path = '/api/v1/internal/atomic'

export const graphs = [
  post(
    `${path}/graph-query`,
    {
      summary: 'Query the graph of causes of action, elements and documents',
      description: 'Returns an empty result if the graph is disabled or does not respond.',
      body: GraphQuery,
      example: { cause_of_action_codes: ['private_lending'], depth: 1 },
      responses: { 200: Subgraph.extend({ enabled: z.boolean() }) },
    },
    async (c, { body }) => {
      const { graph, kit } = c.env
      if (!graph) return ok(c, { enabled: false, ...emptySubgraph })
      const found = await graph.query(body).catch((thrown: unknown) => {
        kit.metrics.count('graph_failures_total', {})
        kit.log.warn(errorFields(thrown), 'graph query failed')
        return emptySubgraph
      })
      return ok(c, { enabled: true, ...found })
    },
  ),

  post(
    `${path}/graph-rag-search`,
    {
      summary: 'Search for what a text is about',
      description:
        'Searches the whole text, each of its points, and the articles of the causes of action that it names, and fuses the results. With the graph, its documents are searched first.',
      body: GraphRagRequest,
      example: { query: '借款人到期不还', depth: 1 },
      responses: { 200: GraphRagResponse },
      faults: ['NOT_FOUND'],
    },
    async (c, { body }) => ok(c, await runGraphRag(c.env, c.var.caller, body)),
  ),
]
