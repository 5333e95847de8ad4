import { ok } from '../_kit/endpoint.ts'
import { PageQuery, paged, pageOf } from '../_kit/page.ts'
import { part } from '../_kit/sql/sql.ts'
import { get } from './deps.ts'
import { Edit, Named, New, named } from './named.ts'

const Domain = Named.meta({ id: 'Domain' })

const path = '/api/v1/domains'
const table = part`platform.domains`

export const domains = [
  get(
    path,
    { summary: 'Domains by key', query: PageQuery, answers: { 200: pageOf(Domain) } },
    async (c, { query }) =>
      ok(c, await paged(c.env.sql, Domain, query, { from: table, order: part`key` })),
  ),

  ...named({ word: 'domain', path, table, Record: Domain, New, Edit }),
]
