import { ok } from '../_kit/endpoint.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment } from '../_kit/sql/sql.ts'
import { get } from './deps.ts'
import { Edit, Named, New, named } from './named.ts'

const Domain = Named.meta({ id: 'Domain' })

const path = '/api/v1/domains'
const table = fragment`platform.domains`

export const domains = [
  get(
    path,
    { summary: 'Domains by key', query: PageQuery, responses: { 200: pageSchema(Domain) } },
    async (c, { query }) =>
      ok(c, await selectPage(c.env.sql, Domain, query, { from: table, order: fragment`key` })),
  ),

  ...named({ word: 'domain', path, table, Record: Domain, New, Edit }),
]
