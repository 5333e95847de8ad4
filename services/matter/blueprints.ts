import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { notFound } from '../_kit/fault.ts'
import { PageQuery, pageBounds, pageSchema, toPage } from '../_kit/page.ts'
import { Blueprint } from './blueprint.ts'
import { get } from './deps.ts'
import { MatterCategory } from './matter.ts'
import { member } from './scope.ts'

const path = '/api/v1/flow-blueprints'

export const blueprints = [
  get(
    path,
    {
      summary: 'How matters usually go, for display',
      guard: member,
      query: PageQuery.extend({ matter_category: MatterCategory.optional() }),
      responses: { 200: pageSchema(Blueprint) },
    },
    async (c, { query }) => {
      const all = c.env.blueprints.filter(
        ({ matter_category }) => matter_category === (query.matter_category ?? matter_category),
      )
      const asked = pageBounds(query)
      const items = all.slice(asked.offset, asked.offset + asked.size)
      return ok(c, toPage(items, all.length, asked))
    },
  ),

  get(
    `${path}/:id`,
    {
      summary: 'Read a blueprint',
      guard: member,
      params: z.object({ id: z.string() }),
      responses: { 200: Blueprint },
    },
    async (c, { params }) => {
      const blueprint = c.env.blueprints.find(({ id }) => id === params.id)
      if (!blueprint) throw notFound(`blueprint ${params.id}`)
      return ok(c, blueprint)
    },
  ),
]
