import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { notFound } from '../_kit/fault.ts'
import { organization } from '../_kit/identity.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment } from '../_kit/sql/sql.ts'
import { get } from './deps.ts'
import {
  CauseOfActionProfile,
  ElementKnowledgeMapping,
  LitigationElement,
  NonLitigationChecklistItem,
} from './seed/records.ts'

const Element = LitigationElement.extend({
  knowledge: z
    .array(ElementKnowledgeMapping)
    .describe('Documents and sections that describe the element.'),
}).meta({ id: 'ElementWithKnowledge' })

const Cause = CauseOfActionProfile.extend({ elements: z.array(Element) }).meta({
  id: 'CauseOfAction',
})

const path = '/api/v1/knowledge'
const recordColumn = (Record: z.ZodObject) =>
  z.object({ record: Record }).transform(({ record }) => record)

export const causes = [
  get(
    `${path}/causes-of-action`,
    {
      summary: 'List causes of action',
      guard: organization,
      query: PageQuery.extend({
        parent_code: z.string().max(200).optional(),
        q: z.string().max(200).optional().describe('Text that the name or an alias contains.'),
      }),
      responses: { 200: pageSchema(CauseOfActionProfile) },
    },
    async (c, { query }) => {
      const { parent_code, q } = query
      const from = fragment`knowledge.records where kind = 'cause_of_action'
        ${parent_code === undefined ? fragment`` : fragment` and parent = ${parent_code}`}
        ${
          q === undefined
            ? fragment``
            : fragment` and position(lower(${q}) in
          lower(concat(record ->> 'name', ' ', record ->> 'aliases'))) > 0`
        }`
      const page = { from, columns: fragment`record`, order: fragment`key` }
      return ok(c, await selectPage(c.env.sql, recordColumn(CauseOfActionProfile), query, page))
    },
  ),

  get(
    `${path}/causes-of-action/:code`,
    {
      summary: 'Get a cause of action with its elements',
      guard: organization,
      params: z.object({ code: z.string().min(1).max(200) }),
      responses: { 200: Cause },
    },
    async (c, { params: { code } }) => {
      const { sql } = c.env
      const [cause, elements] = await Promise.all([
        sql.row(recordColumn(CauseOfActionProfile))`
          select record from knowledge.records where kind = 'cause_of_action' and key = ${code}`,
        sql.rows(recordColumn(Element))`
          select element.record || jsonb_build_object('knowledge', coalesce((
            select jsonb_agg(record order by record ->> 'relevance' desc, key)
            from knowledge.records where kind = 'mapping' and parent = element.key), '[]')) as record
          from knowledge.records element where kind = 'element' and parent = ${code}
          order by order_num, key`,
      ])
      if (!cause) throw notFound(`cause of action ${code}`)
      return ok(c, { ...cause, elements })
    },
  ),

  get(
    `${path}/checklists`,
    {
      summary: 'List checklist items of non-litigation services',
      guard: organization,
      query: PageQuery.extend({ service_type_id: z.string().max(200).optional() }),
      responses: { 200: pageSchema(NonLitigationChecklistItem) },
    },
    async (c, { query }) => {
      const { service_type_id } = query
      const from = fragment`knowledge.records where kind = 'checklist_item'
        ${service_type_id === undefined ? fragment`` : fragment` and parent = ${service_type_id}`}`
      const page = { from, columns: fragment`record`, order: fragment`parent, order_num, key` }
      return ok(
        c,
        await selectPage(c.env.sql, recordColumn(NonLitigationChecklistItem), query, page),
      )
    },
  ),
]
