import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { invalid } from '../_kit/fault.ts'
import { ExternalId, Id } from '../_kit/fields.ts'
import { assertSameOrganization } from '../_kit/identity.ts'
import type { Sql } from '../_kit/sql/sql.ts'
import { createMatter } from './create.ts'
import { post } from './deps.ts'
import { FileIds, OrganizationId } from './fields.ts'
import { type Matter, Status } from './matter.ts'
import { union } from './merge.ts'
import { bodySchema } from './playbook.ts'
import { serviceGuard } from './scope.ts'
import { loadServiceTypeName } from './service-types.ts'
import { patchTodo, saveTodos } from './todo.ts'

const UserType = z.enum(['client', 'lawyer', 'firm_admin', 'operator'])
type UserType = z.infer<typeof UserType>

const FromConsultation = z
  .object({
    session_id: ExternalId,
    user_id: ExternalId,
    organization_id: OrganizationId.optional().describe('Default: X-Organization-Id.'),
    title: z.string().max(500).nullish(),
    service_type_id: ExternalId.nullish().describe('Default: `legal_consultation`.'),
    file_ids: FileIds.nullish(),
    user_type: UserType.nullish(),
    lawyer_id: ExternalId.nullish(),
    providerOrganizationId: OrganizationId.nullish(),
  })
  .meta({
    examples: [
      { session_id: 'S-1', user_id: 7, organization_id: 'acme', title: 'Loan to Li', file_ids: [] },
    ],
  })
type FromConsultation = z.output<typeof FromConsultation>

const FromConsultationResponse = z.object({ matter_id: Id, status: Status, created: z.boolean() })

export const fromConsultation = [
  post(
    '/api/v1/internal/matters/from-consultation',
    {
      summary: 'Create the matter of a consultation session',
      description:
        'Creates a matter in DRAFT with its first todos (201). A session that already has a matter returns it (200), also under concurrency. User type `lawyer` sets lawyer_id, `firm_admin` sets firm_id. A provider organization without a lawyer adds the todo `dispatch_lawyer`.',
      guard: serviceGuard,
      body: bodySchema(FromConsultation),
      responses: { 200: FromConsultationResponse, 201: FromConsultationResponse },
      idempotencyKey: true,
    },
    async (c, { body }) => {
      const { caller } = c.var
      assertSameOrganization(caller, body.organization_id, 'organization_id')
      const organization = body.organization_id ?? caller.organizationId
      if (organization === undefined) {
        const message = 'Required without X-Organization-Id.'
        throw invalid([{ path: 'organization_id', message }])
      }
      const request = {
        ...body,
        user_type: body.user_type ?? UserType.safeParse(caller.userType).data,
      }
      const response = await c.env.sql.transaction((sql) =>
        createFromConsultation(sql, organization, request),
      )
      return ok(c, response, response.created ? 201 : 200)
    },
  ),
]

async function createFromConsultation(sql: Sql, organization: string, request: FromConsultation) {
  const serviceType = request.service_type_id ?? 'legal_consultation'
  const matter = await createMatter(sql, request.user_id, {
    title:
      request.title?.trim() ||
      (await loadServiceTypeName(sql, serviceType)) ||
      humanize(serviceType),
    matter_category: 'consultation',
    cause_of_action_code: null,
    service_type_id: serviceType,
    session_id: request.session_id,
    user_id: request.user_id,
    organization_id: organization,
    provider_organization_id: request.providerOrganizationId ?? null,
    lawyer_id: request.lawyer_id ?? (request.user_type === 'lawyer' ? request.user_id : null),
    firm_id: request.user_type === 'firm_admin' ? organization : null,
    file_ids: union([], request.file_ids ?? []),
    profile: {},
    data: {},
  })
  if (!matter)
    return { ...(await loadBySession(sql, organization, request.session_id)), created: false }
  await saveTodos(sql, matter.id, buildFirstTodos(matter, request.user_type))
  return { matter_id: matter.id, status: matter.status, created: true }
}

function buildFirstTodos(matter: Matter, userType: UserType | null | undefined) {
  const intake = patchTodo(undefined, {
    todo_key: 'intake_collection',
    title: 'Collect the intake information',
    actor: userType === 'lawyer' || userType === 'firm_admin' ? userType : 'client',
    review_type: 'clarify',
    payload: { session_id: matter.session_id },
  })
  if (matter.provider_organization_id === null || matter.lawyer_id !== null) return [intake]
  const dispatch = patchTodo(undefined, {
    todo_key: 'dispatch_lawyer',
    title: 'Assign a lawyer to the matter',
    actor: 'firm_admin',
    review_type: 'select',
    payload: { provider_organization_id: matter.provider_organization_id },
  })
  return [intake, dispatch]
}

const Existing = FromConsultationResponse.omit({ created: true })

async function loadBySession(sql: Sql, organization: string, session: string) {
  const existing = await sql.row(Existing)`
    select id as matter_id, status from matter.matters
    where organization_id = ${organization} and session_id = ${session}`
  return existing!
}

/** legal_consultation → Legal consultation */
const humanize = (id: string) => {
  const words = id.replaceAll('_', ' ').trim() || 'Matter'
  return words[0]!.toUpperCase() + words.slice(1)
}
