import * as z from 'zod'
import { ok } from '../../_kit/endpoint.ts'
import { ExternalId } from '../../_kit/fields.ts'
import { KbId, loadBase, loadBases, type Reader, rejectSystemBase } from '../base.ts'
import { post } from '../deps.ts'
import { StartedJob, startJob } from './job.ts'

const path = '/api/v1/internal/search'

const Batch = z.object({
  kb_ids: z.array(KbId).max(100).optional(),
  document_ids: z.array(ExternalId).max(1_000).optional(),
})

/** Only a service that acts for no organization may reindex system bases. */
const isTenant = ({ organizationId }: Reader) => organizationId !== undefined

export const reindexing = [
  post(
    `${path}/reindex-by-file`,
    {
      summary: 'Reindex the documents of a file',
      body: z.object({ kb_id: KbId, file_id: ExternalId }),
      responses: { 202: StartedJob },
      faults: ['FORBIDDEN', 'NOT_FOUND'],
    },
    async (c, { body }) => {
      const base = await loadBase(c.env.sql, c.var.caller, body.kb_id)
      if (isTenant(c.var.caller)) rejectSystemBase(base)
      const started = await c.env.sql.transaction((sql) =>
        startJob(sql, {
          kind: 'reindex',
          organization: base.organization_id,
          base: base.no,
          fileId: body.file_id,
          payload: { bases: [base.no], fileId: body.file_id },
        }),
      )
      return ok(c, started, 202)
    },
  ),

  post(
    `${path}/reindex-batch`,
    {
      summary: 'Reindex bases or documents',
      description: 'Default: every base that the caller may write.',
      body: Batch,
      responses: { 202: StartedJob },
      faults: ['FORBIDDEN', 'NOT_FOUND'],
    },
    async (c, { body }) => {
      const { kb_ids = [] } = body
      const readable = await loadBases(c.env.sql, c.var.caller, kb_ids)
      if (isTenant(c.var.caller) && kb_ids.length > 0) readable.forEach(rejectSystemBase)
      const bases = readable.filter(({ system }) => !system || !isTenant(c.var.caller))
      const started = await c.env.sql.transaction((sql) =>
        startJob(sql, {
          kind: 'reindex',
          organization: c.var.caller.organizationId ?? null,
          payload: { bases: bases.map(({ no }) => no), documentIds: body.document_ids },
        }),
      )
      return ok(c, started, 202)
    },
  ),
]
