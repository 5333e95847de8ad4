import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Database, newDatabase } from '../../../tests/support/databases.ts'
import { embeddingServer } from '../../../tests/support/embedding.ts'
import { atomic, seed } from '../../../tests/support/knowledge.ts'
import { type Replica, startReplica } from '../../../tests/support/knowledge-replica.ts'
import { expectedPoints, readPoints } from '../../../tests/support/knowledge-state.ts'
import { makeQdrantRequest, searchBackends } from '../../../tests/support/qdrant.ts'
import { makeSql, type Sql } from '../../_kit/sql/sql.ts'

const { servers, stop } = await searchBackends()
afterAll(stop)

describe.each(servers)('a new KNOWLEDGE_SEARCH_INDEX with $name', ({ url }) => {
  const requestQdrant = makeQdrantRequest(url)
  let api: Awaited<ReturnType<typeof embeddingServer>>
  let database: Database
  let sql: Sql
  let replicas: Replica[]
  beforeAll(async () => {
    api = await embeddingServer()
  })
  afterAll(() => api.close())
  beforeEach(async () => {
    database = await newDatabase('postgres')
    sql = makeSql(database.driver)
    replicas = []
  })
  afterEach(async () => {
    api.setDimensions()
    await Promise.all(replicas.map((replica) => replica.stop()))
    await requestQdrant('DELETE', '/collections/one')
    await requestQdrant('DELETE', '/collections/two')
    await database.drop()
  })

  const start = (index: string, env: Record<string, string> = {}) => {
    const replica = startReplica(database.driver, {
      ...api.variables,
      KNOWLEDGE_SEARCH_BACKEND: 'qdrant',
      QDRANT_URL: url,
      QDRANT_TIMEOUT_MS: '10000',
      KNOWLEDGE_SEARCH_INDEX: index,
      ...env,
    })
    replicas.push(replica)
    return replica
  }
  const write = (replica: Replica, document_id: string, content: string) =>
    replica.post(`${seed}/system-kb-documents/import`, {
      kb: { name: 'sys_laws' },
      documents: [
        {
          ...{ document_id, doc_type: 'statute', title: document_id },
          chunks: [{ chunk_index: 0, content }],
        },
      ],
    })
  const search = async (replica: Replica, query: string, mode = 'hybrid') =>
    (await replica.post(`${atomic}/${mode}-search`, { kb_ids: ['sys_laws'], query, top_k: 1 })).data
  const leadsTo = async () =>
    (await requestQdrant('GET', '/aliases')).aliases.find(
      (each: any) => each.alias_name === 'knowledge_chunks',
    )?.collection_name
  const waitForAlias = (index: string) => expect.poll(leadsTo, { timeout: 30_000 }).toBe(index)
  const same = () =>
    expect
      .poll(
        async () => {
          const [here, there] = [await expectedPoints(sql), await readPoints(url)]
          return JSON.stringify(here) === JSON.stringify(there)
        },
        { timeout: 30_000 },
      )
      .toBe(true)

  async function startFilled(index: string, documents: number) {
    const replica = start(index)
    await replica.post(`${seed}/system-kb-documents/import`, {
      kb: { name: 'sys_laws' },
      documents: Array.from({ length: documents }, (_, n) => ({
        ...{ document_id: `d${n}`, doc_type: 'statute', title: `d${n}` },
        chunks: [{ chunk_index: 0, content: `tenure ${n} w${n}` }],
      })),
    })
    await waitForAlias(index)
    // Waits for the vectors: both sides are also equal while both lack them.
    const countWithoutVector = async () =>
      (await expectedPoints(sql)).filter(({ meaning }) => !meaning).length
    await expect.poll(countWithoutVector, { timeout: 30_000 }).toBe(0)
    await same()
    return replica
  }

  test('a new index takes over without a failed search while replicas are replaced under load', async () => {
    const old = await startFilled('one', 400)
    let going = true
    const responses: string[] = []
    const searching = (async () => {
      for (let n = 0; going; n++) {
        const data = await search(replicas[n % replicas.length]!, `w${n % 400}`)
        responses.push(
          `${data.backend} ${data.degraded} ${data.hits[0]?.document_id === `d${n % 400}`}`,
        )
        await wait(5)
      }
    })()
    const written = new Set<string>()
    const writing = (async () => {
      for (let n = 0; going; n++) {
        const { status } = await write(replicas[n % replicas.length]!, `new${n}`, `fresh f${n}`)
        expect(status).toBe(200)
        written.add(`new${n}`)
        await wait(20)
      }
    })()
    const fresh = start('two')
    await waitForAlias('two')
    // The old replica keeps running and maintains its own index; the alias must not change.
    await old.sweep()
    await wait(1_000)
    expect(await leadsTo()).toBe('two')
    await old.stop()
    replicas = replicas.filter((replica) => replica !== old)
    going = false
    await Promise.all([searching, writing])
    await same()
    expect(new Set(responses)).toEqual(new Set(['qdrant false true']))
    expect(responses.length).toBeGreaterThan(3)
    const remaining = await sql`select document_id from knowledge.documents where title like 'new%'`
    expect(new Set(remaining.map(({ document_id }) => document_id))).toEqual(written)

    // The retired collection is kept until no running search can still use it.
    const exists = async () => (await requestQdrant('GET', '/collections/one/exists')).exists
    expect(await exists()).toBe(true)
    await sql`update knowledge.indexes set retired_at = now() - interval '2 minutes'
      where retired_at is not null`
    await write(fresh, 'last', 'the last one')
    await expect.poll(exists, { timeout: 20_000 }).toBe(false)
    await same()
  })

  test('while an index for another embedding model is built, keyword search still uses Qdrant', async () => {
    const old = await startFilled('one', 40)
    await old.stop()
    replicas = []
    const other = { KNOWLEDGE_EMBEDDING_MODEL: 'other', KNOWLEDGE_EMBEDDING_DIMS: '128' }
    api.setDimensions(128)
    const replica = start('two', other)
    while ((await leadsTo()) !== 'two') {
      const data = await search(replica, 'w7')
      expect(data.hits[0].document_id).toBe('d7')
      // Keyword search needs no vectors, so it uses Qdrant during the whole rebuild.
      expect((await search(replica, 'w7', 'keyword')).backend).toBe('qdrant')
    }
    const data = await search(replica, 'tenure 7 w7', 'vector')
    expect(data).toMatchObject({ backend: 'qdrant', degraded: false })
    expect(data.hits[0]).toMatchObject({ document_id: 'd7', matched_by: ['vector'] })
  })

  test('switching back to a previous index makes it current and complete', async () => {
    await startFilled('one', 20)
    const second = start('two')
    await waitForAlias('two')
    await Promise.all(replicas.map((replica) => replica.stop()))
    replicas = []
    start('one')
    await waitForAlias('one')
    await same()
    await second.stop()
  })
})
