import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { Fault, notFound } from '../_kit/fault.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import type { Client, RequestOptions } from '../_kit/peer.ts'
import { fragment } from '../_kit/sql/sql.ts'
import { columns, Deliverable, StoredDeliverable } from './deliverable.ts'
import { get } from './deps.ts'
import { ById, requireVisible } from './matter.ts'
import { userGuard, visibleToUser } from './scope.ts'

const ByKey = ById.extend({ deliverableKey: z.string().min(1).max(200) })

const path = '/api/v1/matters/:id/deliverables'

export const deliverables = [
  get(
    path,
    {
      summary: 'List the deliverables of a matter with new download links',
      guard: userGuard,
      params: ById,
      query: PageQuery,
      responses: { 200: pageSchema(Deliverable) },
    },
    async (c, { params, query }) => {
      const { sql, files } = c.env
      const { organization_id } = await requireVisible(sql, visibleToUser(c.var.caller), params.id)
      const page = await selectPage(sql, StoredDeliverable, query, {
        columns,
        from: fragment`matter.deliverables where matter_id = ${params.id}`,
        order: fragment`created_at, deliverable_key`,
      })
      const items = await withLinks(files, page.items, requestAs(c.var, organization_id))
      return ok(c, { ...page, items })
    },
  ),

  get(
    `${path}/:deliverableKey`,
    {
      summary: 'Get a deliverable with a new download link',
      guard: userGuard,
      params: ByKey,
      responses: { 200: Deliverable },
    },
    async (c, { params: { id, deliverableKey } }) => {
      const { sql, files } = c.env
      const { organization_id } = await requireVisible(sql, visibleToUser(c.var.caller), id)
      const stored = await sql.row(StoredDeliverable)`
        select ${columns} from matter.deliverables
        where matter_id = ${id} and deliverable_key = ${deliverableKey}`
      if (!stored) throw notFound(`deliverable ${deliverableKey}`)
      const [item] = await withLinks(files, [stored], requestAs(c.var, organization_id))
      return ok(c, item)
    },
  ),

  get(
    `${path}/:deliverableKey/versions`,
    {
      summary: 'List the versions of a deliverable with new download links, newest first',
      description: '`created_at` is the time of the version.',
      guard: userGuard,
      params: ByKey,
      query: PageQuery,
      responses: { 200: pageSchema(Deliverable) },
    },
    async (c, { params: { id, deliverableKey }, query }) => {
      const { sql, files } = c.env
      const { organization_id } = await requireVisible(sql, visibleToUser(c.var.caller), id)
      const page = await selectPage(sql, StoredDeliverable, query, {
        columns,
        from: fragment`matter.deliverable_versions
          where matter_id = ${id} and deliverable_key = ${deliverableKey}`,
        order: fragment`version desc`,
      })
      if (page.total === 0) throw notFound(`deliverable ${deliverableKey}`)
      const items = await withLinks(files, page.items, requestAs(c.var, organization_id))
      return ok(c, { ...page, items })
    },
  ),
]

/**
 * Requests files as the organization of the matter. Everyone who can see the matter may read its
 * deliverables, including people of the provider organization.
 */
const requestAs = (
  { requestId, traceparent }: { requestId: string; traceparent: string },
  organization: string,
): RequestOptions => ({
  from: { headers: new Headers({ 'x-organization-id': organization }), requestId, traceparent },
})

const Link = z.object({ url: z.string() })
const batchSize = 10

/** Adds download links. The link is null for a deleted file and while files-service is unavailable. */
async function withLinks(files: Client, stored: StoredDeliverable[], options: RequestOptions) {
  let unavailable = false
  async function presign(fileId: string): Promise<string | null> {
    try {
      const { url } = await files.request(Link, '/api/v1/internal/files/presigned-url', {
        ...options,
        method: 'POST',
        body: { fileId, expires_in: 900 },
        idempotent: true,
        deadlineMs: 2_000,
      })
      return url
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown
      unavailable ||= thrown.retryable
      return null
    }
  }
  const items: z.infer<typeof Deliverable>[] = []
  for (let at = 0; at < stored.length; at += batchSize) {
    const batch = stored.slice(at, at + batchSize).map(async (each) => ({
      ...each,
      presigned_url: unavailable || each.file_id === null ? null : await presign(each.file_id),
    }))
    items.push(...(await Promise.all(batch)))
  }
  return items
}
