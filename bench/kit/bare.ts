import { Hono } from 'hono'
import { newId } from '../../services/_kit/ids.ts'
import { silent } from '../../services/_kit/log.ts'
import { makeMetrics } from '../../services/_kit/metrics.ts'
import type { Driver, Param, Row } from '../../services/_kit/sql/sql.ts'
import memory from '../../services/memory/service.ts'
import { indexFact } from '../../services/memory/terms.ts'
import { factsPath, headers, key, tenant } from './requests.ts'

/**
 * Baseline: the SQL statements of memory-service behind bare handlers without key, validation, envelope,
 * log or metrics. The parameters are built like in the service, terms included.
 */
export async function makeBareHandler(driver: Driver) {
  const { read, insert, lock, conflict, update } = await recordStatements(driver)
  const app = new Hono()

  app.get(`${factsPath}/:id`, async (c) => {
    const [fact] = await driver.query(read, [tenant, c.req.param('id')])
    return c.json(fact)
  })

  app.post(factsPath, async (c) => {
    const input = await c.req.json()
    const { user_id, scope, case_id, entity_key, category, content, confidence, source } = input
    const value = JSON.stringify(input.value)
    const metadata = JSON.stringify(input.metadata)
    const { terms, termCounts } = indexFact(tenant, user_id, entity_key, content)
    const contentParams = [category, content, value, confidence, source, metadata]
    const keyParams = [tenant, user_id, scope, case_id, entity_key]
    const array = `{${terms}}`

    const [created] = await driver.query(insert, [
      newId(),
      ...keyParams,
      ...contentParams,
      array,
      termCounts,
    ])
    if (created) return c.json(created, 201)
    const changed = await driver.transaction(async (query) => {
      const [before] = await query(lock, [
        content,
        value,
        category,
        source,
        confidence,
        metadata,
        ...keyParams,
      ])
      const { id, content: previousContent, value: previousValue, category: kind } = before as Row
      const previous = JSON.stringify({
        content: previousContent,
        value: previousValue,
        category: kind,
      })
      const current = JSON.stringify({ content, value: input.value, category })
      await query(conflict, [
        newId(),
        tenant,
        user_id,
        id as string,
        entity_key,
        previous,
        current,
        'newest_wins',
      ])
      const [after] = await query(update, [...contentParams, true, array, termCounts, ...keyParams])
      return after
    })
    return c.json(changed)
  })
  return (request: Request) => app.fetch(request)
}

/** Records the SQL statements of the service for creating, changing and reading a fact. */
async function recordStatements(driver: Driver) {
  const statements: string[] = []
  const record =
    (query: Driver['query']): Driver['query'] =>
    (text: string, params: Param[]) => {
      statements.push(text)
      return query(text, params)
    }
  const { fetch } = memory.start({
    env: { ENVIRONMENT: 'test', INTERNAL_API_KEY: key },
    database: {
      query: record(driver.query),
      transaction: (work) => driver.transaction((query) => work(record(query))),
      end: driver.end,
    },
    peers: () => () => Promise.reject(new Error('nobody else is here')),
    log: silent,
    metrics: makeMetrics(),
    runtime: 'node',
    version: '0',
  })
  const upsertFact = async (content: string): Promise<{ id: string }> => {
    const body = {
      user_id: 'probe',
      scope: 'global',
      entity_key: 'probe',
      category: 'summary',
      content,
    }
    const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } }
    const response = await fetch(
      new Request(`http://bench${factsPath}`, { ...init, body: JSON.stringify(body) }),
    )
    return (await response.json()).data
  }
  await upsertFact('one')
  const { id } = await upsertFact('another')
  await fetch(new Request(`http://bench${factsPath}/${id}`, { headers }))
  const [insert, again, lock, conflict, update, read] = statements
  if (statements.length !== 6 || insert !== again) {
    throw new Error(`the statements of the service have changed:\n${statements.join('\n')}`)
  }
  return { insert: insert!, lock: lock!, conflict: conflict!, update: update!, read: read! }
}
