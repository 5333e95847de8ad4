import * as z from 'zod'
import { all, type Executor, keyed, listOf, Paths } from './executor.ts'

/** Litigation elements, checklists, and which documents belong to an element. */
export const structured: Executor = {
  kind: 'knowledge.seed.structured.import',
  service: 'knowledge',
  path: '/api/v1/internal/seed/structured/import',
  Config: z.object({
    litigation_elements_json: Paths.optional(),
    non_litigation_checklists_json: Paths.optional(),
    mappings_json: Paths.optional(),
    sync_to_neo4j: z.boolean().default(false),
  }),
  files: {
    litigation_elements_json: listOf('litigation_elements', keyed('element_id')),
    non_litigation_checklists_json: listOf('non_litigation_checklists', keyed('item_id')),
    mappings_json: listOf('mappings', keyed('element_id')),
  },
  holds: () => ['the structured records'],
  requests: ({ sync_to_neo4j }, data) => [
    {
      litigation_elements: all(data, 'litigation_elements_json'),
      non_litigation_checklists: all(data, 'non_litigation_checklists_json'),
      mappings: all(data, 'mappings_json'),
      sync_to_neo4j,
    },
  ],
}
