import type { Context } from 'hono'
import * as z from 'zod'
import type { Env } from '../_kit/context.ts'
import { Fault, invalid, notFound } from '../_kit/fault.ts'
import { type Caller, type Guard, headerText } from '../_kit/identity.ts'
import { enginePath, forwardedContext, queryString, requestEngine } from './ai-request.ts'
import type { Deps } from './deps.ts'

type RequestContext = Context<Env<Deps>>

/** Operators and firm admins see their organization, lawyers their own matters. */
export const aiAdmin: Guard = {
  headers: [
    {
      name: 'X-User-Type',
      required: true,
      description: '`operator` or `firm_admin`; `lawyer` for own matters. Superusers pass.',
      schema: { type: 'string', pattern: headerText },
    },
  ],
  faults: ['UNAUTHENTICATED', 'FORBIDDEN'],
  check(caller) {
    if (caller.organizationId === undefined) {
      throw new Fault('UNAUTHENTICATED', 'Header X-Organization-Id is required.')
    }
    if (seesOrganization(caller)) return
    if (caller.userType !== 'lawyer' || caller.userId === undefined) {
      throw new Fault('FORBIDDEN', 'Only operators, firm admins and lawyers may read AI runs.')
    }
  },
}

const seesOrganization = ({ superuser, userType }: Caller) =>
  superuser || userType === 'operator' || userType === 'firm_admin'

const AssignedMatter = z.object({ lawyer_id: z.string().nullable() })

/** Throws 404 unless the caller sees the organization or is the lawyer of the matter. */
export async function requireOwnMatter(
  c: RequestContext,
  matterId: string | null | undefined,
): Promise<void> {
  const { caller } = c.var
  if (seesOrganization(caller)) return
  if (matterId === undefined) {
    throw invalid([{ path: 'matter_id', message: 'Required for lawyers.' }])
  }
  if (matterId === null || !z.uuid().safeParse(matterId).success) throw notFound('such matter')
  const path = `/api/v1/internal/matters/${matterId}`
  const matter = await c.env.matter.request(AssignedMatter, path, { from: forwardedContext(c) })
  if (matter.lawyer_id !== caller.userId) throw notFound(`matter ${matterId}`)
}

const Traces = z.object({
  items: z.array(z.object({ run_id: z.string(), matter_id: z.string().nullable() })),
  next_cursor: z.string().nullish(),
})

/** The engine forwards the organization, so that threads of others are not found. */
export async function requireOwnThread(c: RequestContext, threadId: string): Promise<void> {
  if (seesOrganization(c.var.caller)) return
  const query = queryString({ thread_id: threadId, size: '1' })
  const { items } = await requestEngine(c, Traces, `${enginePath}/traces${query}`)
  await requireOwnMatter(c, items[0]?.matter_id ?? null)
}

/** Requires that the run belongs to the matter that the lawyer named. */
export async function requireOwnRun(
  c: RequestContext,
  runId: string,
  matterId: string | undefined,
): Promise<void> {
  if (seesOrganization(c.var.caller)) return
  await requireOwnMatter(c, matterId)
  for (let cursor: string | undefined; ; ) {
    const query = queryString({ matter_id: matterId, size: '200', cursor })
    const page = await requestEngine(c, Traces, `${enginePath}/traces${query}`)
    if (page.items.some(({ run_id }) => run_id === runId)) return
    if (!page.next_cursor) throw notFound(`run ${runId}`)
    cursor = page.next_cursor
  }
}
