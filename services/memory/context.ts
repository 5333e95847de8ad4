import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { ExternalId } from '../_kit/fields.ts'
import { organization } from '../_kit/identity.ts'
import { fragment, type Sql } from '../_kit/sql/sql.ts'
import { get } from './deps.ts'
import { columns, Fact } from './fact.ts'

const Context = z
  .object({
    user_id: z.string(),
    profile: z.array(Fact),
    preferences: z.array(Fact),
    cases: z.array(z.object({ case_id: z.string(), facts: z.array(Fact) })),
    summary: z.string(),
  })
  .meta({ id: 'UserContext' })
type Context = z.infer<typeof Context>

/** Maximum number of facts in a context, newest first. Older facts are reached by recall. */
const maxContextFacts = 500

export const context = [
  get(
    '/api/v1/internal/memory/users/:userId/context',
    {
      summary: 'Get the context of a user',
      description:
        'Returns global facts of the categories user_profile and preference, the facts of each case, and the joined summaries. `max_chars` limits the length of the response as JSON; the newest facts are kept.',
      guard: organization,
      params: z.object({ userId: z.string().min(1).max(200) }),
      query: z.object({
        case_id: ExternalId.optional(),
        max_chars: z.coerce.number().int().min(1).max(1_000_000).default(20_000),
      }),
      responses: { 200: Context },
    },
    async (c, { params, query }) => {
      const facts = await loadNewestFacts(
        c.env.sql,
        c.var.caller.organizationId!,
        params.userId,
        query.case_id,
      )
      return ok(c, assembleContext(params.userId, facts, query.max_chars))
    },
  ),
]

const loadNewestFacts = (sql: Sql, tenant: string, user: string, caseId: string | undefined) =>
  sql.rows(Fact)`
    select ${columns} from memory.facts
    where tenant_id = ${tenant} and user_id = ${user} and superseded_by is null
      ${caseId === undefined ? fragment`` : fragment`and (scope = 'global' or case_id = ${caseId})`}
    order by updated_at desc, id desc limit ${maxContextFacts}`

/** Adds facts, newest first, while the JSON stays within `maxChars`. */
export function assembleContext(userId: string, facts: Fact[], maxChars: number): Context {
  const context: Context = { user_id: userId, profile: [], preferences: [], cases: [], summary: '' }
  let length = JSON.stringify(context).length
  const takeIfFits = (added: unknown) => {
    // One extra character for the comma or line break.
    const addedLength = JSON.stringify(added).length + 1
    if (length + addedLength > maxChars) return false
    length += addedLength
    return true
  }
  for (const fact of facts) {
    if (fact.scope === 'case') addToCase(context, fact, takeIfFits)
    else if (fact.category === 'summary') {
      if (takeIfFits(fact.content)) context.summary += (context.summary && '\n') + fact.content
    } else {
      const list = fact.category === 'preference' ? context.preferences : context.profile
      if (takeIfFits(fact)) list.push(fact)
    }
  }
  return context
}

function addToCase(context: Context, fact: Fact, takeIfFits: (added: unknown) => boolean) {
  const existing = context.cases.find(({ case_id }) => case_id === fact.case_id)
  if (existing) {
    if (takeIfFits(fact)) existing.facts.push(fact)
    return
  }
  const newCase = { case_id: fact.case_id!, facts: [fact] }
  if (takeIfFits(newCase)) context.cases.push(newCase)
}
