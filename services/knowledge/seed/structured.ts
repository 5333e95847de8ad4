import * as z from 'zod'
import { ok } from '../../_kit/endpoint.ts'
import { post } from '../deps.ts'
import { enqueueSync, syncNow } from '../graph/sync.ts'
import { bodyLimit } from '../upsert.ts'
import { saveAliases } from './aliases.ts'
import { reconcileRecords } from './reconcile.ts'
import {
  CauseOfActionProfile,
  Counts,
  dryRunFields,
  ElementKnowledgeMapping,
  LitigationElement,
  NonLitigationChecklistItem,
  Source,
  toRecord,
} from './records.ts'

const path = '/api/v1/internal/seed'

const Structured = z.object({
  litigation_elements: z.array(LitigationElement).max(50_000).default([]),
  non_litigation_checklists: z.array(NonLitigationChecklistItem).max(50_000).default([]),
  mappings: z.array(ElementKnowledgeMapping).max(100_000).default([]),
  sync_to_neo4j: z.boolean().default(false),
  ...dryRunFields,
  source: Source.optional(),
})

const Profiles = z.object({
  profiles: z.array(CauseOfActionProfile).max(20_000),
  ...dryRunFields,
  source: Source.optional(),
})

const removal =
  'Removes records of the same source.package_id that the import no longer contains. Without a source it removes nothing.'

export const structured = [
  post(
    `${path}/structured/import`,
    {
      summary: 'Import litigation elements, checklists and mappings',
      description: removal,
      body: Structured,
      bodyLimit,
      responses: {
        200: Counts.extend({ graph: z.enum(['synced', 'skipped', 'failed']) }),
      },
    },
    async (c, { body }) => {
      const { litigation_elements, non_litigation_checklists, mappings, dry_run, source } = body
      const records = [
        ...litigation_elements.map(toRecord.element),
        ...non_litigation_checklists.map(toRecord.checklistItem),
        ...mappings.map(toRecord.mapping),
      ]
      const counts = await c.env.sql.transaction((sql) =>
        reconcileRecords(sql, ['element', 'checklist_item', 'mapping'], records, {
          source,
          dryRun: dry_run,
          digest: body.digest,
        }),
      )
      const syncsGraph = body.sync_to_neo4j && !dry_run
      return ok(c, { ...counts, graph: syncsGraph ? await syncNow(c.env) : 'skipped' })
    },
  ),

  post(
    `${path}/cause-of-action-profiles/import`,
    {
      summary: 'Import cause-of-action profiles',
      description: `${removal} The names and aliases of a cause become synonyms in searches.`,
      body: Profiles,
      bodyLimit,
      responses: { 200: Counts },
    },
    async (c, { body: { profiles, dry_run, digest, source } }) => {
      const counts = await c.env.sql.transaction(async (sql) => {
        const options = { source, dryRun: dry_run, digest }
        const counts = await reconcileRecords(
          sql,
          ['cause_of_action'],
          profiles.map(toRecord.profile),
          options,
        )
        if (!dry_run) {
          await saveAliases(sql)
          await enqueueSync(c.env, sql)
        }
        return counts
      })
      return ok(c, counts)
    },
  ),
]
