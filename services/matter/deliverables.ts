import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { Fault, notFound } from '../_kit/fault.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import type { Client, RequestOptions } from '../_kit/peer.ts'
import { fragment } from '../_kit/sql/sql.ts'
import { columns, Deliverable, Stored } from './deliverable.ts'
import { get } from './deps.ts'
import { ById, seen } from './matter.ts'
import { member, seenBy } from './scope.ts'

const ByKey = ById.extend({ deliverableKey: z.string().min(1).max(200) })

const path = '/api/v1/matters/:id/deliverables'

export const deliverables = [
  get(
    path,
    {
      summary: 'The deliverables of a matter, each with a fresh link',
      guard: member,
      params: ById,
      query: PageQuery,
      responses: { 200: pageSchema(Deliverable) },
    },
    async (c, { params, query }) => {
      const { sql, files } = c.env
      const { organization_id } = await seen(sql, seenBy(c.var.caller), params.id)
      const page = await selectPage(sql, Stored, query, {
        columns,
        from: fragment`matter.deliverables where matter_id = ${params.id}`,
        order: fragment`created_at, deliverable_key`,
      })
      const items = await withLinks(files, page.items, onBehalf(c.var, organization_id))
      return ok(c, { ...page, items })
    },
  ),

  get(
    `${path}/:deliverableKey`,
    {
      summary: 'A deliverable with a fresh link',
      guard: member,
      params: ByKey,
      responses: { 200: Deliverable },
    },
    async (c, { params: { id, deliverableKey } }) => {
      const { sql, files } = c.env
      const { organization_id } = await seen(sql, seenBy(c.var.caller), id)
      const stored = await sql.row(Stored)`
        select ${columns} from matter.deliverables
        where matter_id = ${id} and deliverable_key = ${deliverableKey}`
      if (!stored) throw notFound(`deliverable ${deliverableKey}`)
      const [item] = await withLinks(files, [stored], onBehalf(c.var, organization_id))
      return ok(c, item)
    },
  ),
]

/**
 * Who may see the matter may see what it delivers, so the file is asked for in the name of the
 * matter's organization and not of the person, who may be of the firm that it was given to.
 */
const onBehalf = (
  { requestId, traceparent }: { requestId: string; traceparent: string },
  organization: string,
): RequestOptions => ({
  from: { headers: new Headers({ 'x-organization-id': organization }), requestId, traceparent },
})

const Link = z.object({ url: z.string() })
const atOnce = 10

/** A file that is gone has no link, and neither has any while files-service does not answer. */
async function withLinks(files: Client, stored: Stored[], asked: RequestOptions) {
  let away = false
  async function linkTo(fileId: string): Promise<string | null> {
    try {
      const { url } = await files.request(Link, '/api/v1/internal/files/presigned-url', {
        ...asked,
        method: 'POST',
        body: { fileId, expires_in: 900 },
        idempotent: true,
        deadlineMs: 2_000,
      })
      return url
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown
      away ||= thrown.retryable
      return null
    }
  }
  const items: z.infer<typeof Deliverable>[] = []
  for (let at = 0; at < stored.length; at += atOnce) {
    const some = stored.slice(at, at + atOnce).map(async (each) => ({
      ...each,
      presigned_url: away || each.file_id === null ? null : await linkTo(each.file_id),
    }))
    items.push(...(await Promise.all(some)))
  }
  return items
}
