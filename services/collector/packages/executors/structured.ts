import * as z from 'zod'
import { type Executor, listSchema, Paths, recordsIn, recordWithKey } from './executor.ts'

/** Litigation elements, checklists and the mapping of documents to elements. */
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
    litigation_elements_json: listSchema('litigation_elements', recordWithKey('element_id')),
    non_litigation_checklists_json: listSchema(
      'non_litigation_checklists',
      recordWithKey('item_id'),
    ),
    mappings_json: listSchema('mappings', recordWithKey('element_id')),
  },
  exclusiveScopes: () => ['the structured records'],
  requests: ({ sync_to_neo4j }, data) => [
    {
      litigation_elements: recordsIn(data, 'litigation_elements_json'),
      non_litigation_checklists: recordsIn(data, 'non_litigation_checklists_json'),
      mappings: recordsIn(data, 'mappings_json'),
      sync_to_neo4j,
    },
  ],
}
