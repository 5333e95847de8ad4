import * as z from 'zod'
import { ok } from '../../_kit/endpoint.ts'
import { notFound } from '../../_kit/fault.ts'
import { Id } from '../../_kit/fields.ts'
import { organization } from '../../_kit/identity.ts'
import { PageQuery, pageSchema, selectPage } from '../../_kit/page.ts'
import { fragment } from '../../_kit/sql/sql.ts'
import { type Reader, readableCondition } from '../base.ts'
import { get } from '../deps.ts'
import { KnowledgeJob } from './job.ts'

const path = '/api/v1/knowledge/jobs'

const columns = fragment`run.id, kind, base.id as kb_id, file_id, status,
  jsonb_build_object('done', done, 'total', total) as progress, error, run.created_at,
  run.updated_at`

/** Jobs of the organization on bases that the caller may read. */
const jobsOfOrganization = (caller: Reader) =>
  fragment`knowledge.runs run left join knowledge.bases base on base.no = run.base
    where run.organization_id = ${caller.organizationId!}
      and (run.base is null or ${readableCondition(caller)})`

export const jobs = [
  get(
    path,
    {
      summary: 'List jobs, newest first',
      guard: organization,
      query: PageQuery,
      responses: { 200: pageSchema(KnowledgeJob) },
    },
    async (c, { query }) => {
      const from = jobsOfOrganization(c.var.caller)
      const order = fragment`run.created_at desc, run.id desc`
      return ok(c, await selectPage(c.env.sql, KnowledgeJob, query, { from, columns, order }))
    },
  ),

  get(
    `${path}/:id`,
    {
      summary: 'Get a job and its progress',
      guard: organization,
      params: z.object({ id: Id }),
      responses: { 200: KnowledgeJob },
    },
    async (c, { params }) => {
      const run = await c.env.sql.row(KnowledgeJob)`
        select ${columns} from ${jobsOfOrganization(c.var.caller)} and run.id = ${params.id}`
      if (!run) throw notFound(`job ${params.id}`)
      return ok(c, run)
    },
  ),
]
