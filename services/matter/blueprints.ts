import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { notFound } from '../_kit/fault.ts'
import { PageQuery, pageBounds, pageSchema, toPage } from '../_kit/page.ts'
import { Blueprint } from './blueprint.ts'
import { get } from './deps.ts'
import { MatterCategory } from './matter.ts'
import { userGuard } from './scope.ts'

const path = '/api/v1/flow-blueprints'

export const blueprints = [
  get(
    path,
    {
      summary: 'List flow blueprints',
      guard: userGuard,
      query: PageQuery.extend({ matter_category: MatterCategory.optional() }),
      responses: { 200: pageSchema(Blueprint) },
    },
    async (c, { query }) => {
      const all = c.env.blueprints.filter(
        ({ matter_category }) => matter_category === (query.matter_category ?? matter_category),
      )
      const bounds = pageBounds(query)
      const items = all.slice(bounds.offset, bounds.offset + bounds.size)
      return ok(c, toPage(items, all.length, bounds))
    },
  ),

  get(
    `${path}/:id`,
    {
      summary: 'Get a flow blueprint',
      guard: userGuard,
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
