import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, newDatabase } from '../../../tests/support/databases.ts'
import { silent } from '../../_kit/log.ts'
import { makeMetrics } from '../../_kit/metrics.ts'
import { makeSql, type Param, type Row } from '../../_kit/sql/sql.ts'
import knowledge from '../service.ts'

const key = 'a-key-for-tests-only'
const kb = '0190b8f4-0000-7000-8000-000000000001'
const documentCount = 6
const chunksPerDocument = 1_000

let database: Database
let rowCount = 0
let statements: { text: string; params: Param[] }[] = []
let post: (path: string, body: unknown) => Promise<any>

/** Starts the service on a database whose rows are counted. */
beforeAll(async () => {
  database = await newDatabase('postgres')
  const { driver } = database
  const count = async (rows: Promise<Row[]>) => {
    rowCount += (await rows).length
    return rows
  }
  const started = knowledge.start({
    env: { ENVIRONMENT: 'test', INTERNAL_API_KEY: key },
    database: {
      ...driver,
      query(text, params) {
        statements.push({ text, params })
        return count(driver.query(text, params))
      },
    },
    peers: () => () => Promise.reject(new Error('no peers')),
    log: silent,
    metrics: makeMetrics(),
    runtime: 'node',
    version: '0',
  })
  post = async (path, body) => {
    const headers = { 'content-type': 'application/json', 'x-internal-api-key': key }
    const request = { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await started.fetch(
      new Request(`http://test/api/v1/internal/atomic/${path}`, request),
    )
    const { data, message } = await response.json()
    expect(response.status, message).toBe(200)
    return data
  }
  await makeSql(driver)`
    insert into knowledge.bases (id, organization_id, name) values (${kb}, 'acme', 'large')`
  for (let document = 0; document < documentCount; document++) await write(document)
})
afterAll(() => database.drop())

/** Later documents have longer chunks, which rank lower. */
const write = (document: number, metadata = {}) =>
  post('batch-upsert', {
    documents: [
      {
        kb_id: kb,
        document_id: `d${document}`,
        doc_type: document === documentCount - 1 ? 'last' : 'case',
        title: `d${document}`,
        metadata,
        chunks: Array.from({ length: chunksPerDocument }, (_, chunk_index) => ({
          chunk_index,
          content: `covenant ${'filler '.repeat(1 + 3 * document)} ${chunk_index}`,
        })),
      },
    ],
  })

const search = async (filters: object) => {
  rowCount = 0
  const { hits } = await post('keyword-search', { kb_ids: [kb], query: 'covenant', filters })
  return { documents: new Set(hits.map((hit: any) => hit.document_id)), hits: hits.length }
}

describe('a search in a large base', () => {
  test('a filter that most chunks match does not load all of them', async () => {
    expect(await search({ doc_types: ['case'] })).toEqual({ documents: new Set(['d0']), hits: 10 })
    expect(rowCount).toBeLessThan(3_500)
  })

  test('a filter that only chunks of low rank match finds them', async () => {
    expect(await search({ doc_types: ['last'] })).toEqual({ documents: new Set(['d5']), hits: 10 })
    expect(await search({ document_ids: ['d4', 'd5'] })).toMatchObject({
      documents: new Set(['d4']),
    })
    expect(await search({ doc_types: ['absent'] })).toMatchObject({ hits: 0 })
  })

  test('the chunks of other bases are not read to check ranked ones', async () => {
    const { driver } = database
    await makeSql(driver).statement('analyze')
    statements = []
    await search({ document_ids: ['d5'] })
    const plans = await Promise.all(
      statements
        .filter(({ text }) => text.includes('knowledge.chunks') && text.includes('unnest'))
        .map(({ text, params }) => driver.query(`explain ${text}`, params)),
    )
    expect(plans.length).toBeGreaterThan(0)
    expect(JSON.stringify(plans)).not.toContain('Seq Scan on chunks')
  })

  test('chunks in force are found when most chunks are repealed', async () => {
    for (const document of [0, 1, 2, 3]) await write(document, { effective_to: '2000-01-01' })
    expect(await search({})).toEqual({ documents: new Set(['d4']), hits: 10 })
  })
})
