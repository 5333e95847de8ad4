import * as z from 'zod'
import { ExternalId, Id, Json, JsonObject, Time, Version } from '../_kit/fields.ts'
import { fragment } from '../_kit/sql/sql.ts'

export const Scope = z.enum(['case', 'global'])
export const Category = z.enum(['user_profile', 'preference', 'case_detail', 'evidence', 'summary'])
export const Source = z.enum(['user', 'assistant', 'matter', 'import'])

export const EntityKey = z.string().min(1).max(200)
export const Content = z.string().min(1).max(8_000)
export const Confidence = z.number().min(0).max(1)

export const Fact = z
  .object({
    id: Id,
    tenant_id: z.string(),
    user_id: z.string(),
    scope: Scope,
    case_id: z.string().nullable(),
    entity_key: z.string(),
    category: Category,
    content: z.string(),
    value: Json,
    confidence: z.number(),
    source: Source,
    metadata: JsonObject,
    version: Version,
    has_conflict: z.boolean(),
    created_at: Time,
    updated_at: Time,
  })
  .meta({ id: 'Fact' })
export type Fact = z.infer<typeof Fact>

export const columns = fragment`
  id, tenant_id, user_id, scope, case_id, entity_key, category, content, value, confidence, source,
  metadata, version, has_conflict, created_at, updated_at`

/** Content of a fact without its identity. */
export const FactContent = z.object({
  category: Category,
  content: Content,
  value: Json.default(null),
  confidence: Confidence.default(1),
  metadata: JsonObject.default({}),
})

export const CaseId = ExternalId.nullish().transform((id) => id ?? null)

/** Requires `case_id` with scope `case` and rejects it with scope `global`. */
export function checkCaseId(
  fact: { scope: string; case_id: string | null },
  issue: z.RefinementCtx,
) {
  if (fact.scope === 'case' && fact.case_id === null) {
    issue.addIssue({ code: 'custom', path: ['case_id'], message: 'Required with scope case.' })
  }
  if (fact.scope === 'global' && fact.case_id !== null) {
    issue.addIssue({
      code: 'custom',
      path: ['case_id'],
      message: 'Must be absent with scope global.',
    })
  }
}

/** The rule of `checkCaseId` as JSON Schema, for the API description. */
export const caseIdSchema = {
  if: { properties: { scope: { const: 'case' } } },
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema calls it so.
  then: { required: ['case_id'], properties: { case_id: { not: { type: 'null' } } } },
  else: { properties: { case_id: { type: 'null' } } },
}
