import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newDatabase } from '../../../tests/support/databases.ts'
import { silent } from '../../_kit/log.ts'
import { fragment, makeSql, type Sql } from '../../_kit/sql/sql.ts'
import { findNearest } from './nearest.ts'
import { createVectorIndex, makeVectorIndexes } from './pgvector.ts'
import { normalize, saveVectors } from './vectors.ts'

const dims = 24
const chunks = 1_500
let state = 11
const random = () => {
  state = (state * 48_271) % 2_147_483_647
  return state / 2_147_483_647 - 0.5
}
const vector = () => normalize(Array.from({ length: dims }, random))!
const vectors = Array.from({ length: chunks }, vector)
const chunkHash = (seq: number) => `hash ${seq}`

/** Index of the base of a chunk: the first base has a tenth of the chunks, the second the rest. */
const baseIndex = (seq: number) => (seq % 10 === 0 ? 0 : 1)

async function fill(sql: Sql): Promise<number[]> {
  const bases: number[] = []
  for (const name of ['sys_few', 'sys_many']) {
    const [row] = await sql`
      insert into knowledge.bases (id, name) values (gen_random_uuid(), ${name}) returning no`
    const no = row!.no as number
    bases.push(no)
    await sql`
      insert into knowledge.documents (base, document_id, doc_type, title, metadata, law_keys, law_terms, hash)
      values (${no}, 'd', 'text', 't', '{}', '{}', '{}', 'h')`
    for (let seq = 0; seq < chunks; seq++) {
      if (baseIndex(seq) !== bases.length - 1) continue
      await sql`
        insert into knowledge.chunks
          (base, seq, document_id, chunk_index, content, metadata, hash, words)
        values (${no}, ${seq}, 'd', ${seq}, 'c', '{}', ${chunkHash(seq)}, 1)`
    }
  }
  return bases
}

const databases = ['pglite', 'postgres'] as const

describe.each(databases)('vectors on %s', (on) => {
  let database: Awaited<ReturnType<typeof newDatabase>>
  let sql: Sql
  let bases: number[]
  beforeAll(async () => {
    database = await newDatabase(on)
    sql = makeSql(database.driver)
    bases = await fill(sql)
    await createVectorIndex(sql, dims, silent)
    const all = vectors.map((vector, seq) => ({ hash: chunkHash(seq), vector }))
    await saveVectors(sql, 'm', all)
    // Vectors of another model must not appear in the results.
    await saveVectors(sql, 'other', all.slice(0, 300))
    await sql.statement('analyze knowledge.embeddings')
  })
  afterAll(() => database.drop())

  const product = (one: readonly number[], other: readonly number[]) =>
    one.reduce((sum, value, index) => sum + value * other[index]!, 0)

  const nearestIn = (query: readonly number[], own: readonly number[], limit: number) =>
    findNearest(sql, makeVectorIndexes(), {
      ...{ model: 'm', bases: own, vector: query, limit: limit, minimum: limit, where: fragment`` },
    })

  test('a vector index is created only if the database has pgvector', async () => {
    const available = await sql`select from pg_available_extensions where name = 'vector'`
    expect(available).toHaveLength(on === 'pglite' ? 1 : 0)
    const schema = await makeVectorIndexes().findSchema(sql, dims)
    expect(schema).toBe(on === 'pglite' ? 'public' : undefined)
    // Creating the index again, or with too many dimensions, has no effect.
    await createVectorIndex(sql, dims, silent)
    await createVectorIndex(sql, 3_000, silent)
    expect(await makeVectorIndexes().findSchema(sql, 3_000)).toBeUndefined()
  })

  test('the nearest vectors are returned in order of cosine similarity', async () => {
    for (let round = 0; round < 10; round++) {
      const query = vector()
      const exact = vectors
        .map((each, seq) => ({ seq, score: product(each, query) }))
        .filter(({ seq }) => baseIndex(seq) === 1)
        .sort((a, b) => b.score - a.score)
        .slice(0, 100)
      const found = await nearestIn(query, [bases[1]!], 100)
      expect(found).toHaveLength(100)
      expect(found.map(({ score }) => score)).toEqual(
        found.map(({ score }) => score).toSorted((a, b) => b - a),
      )
      for (const { seq, score } of found)
        expect(score).toBeCloseTo(product(vectors[seq]!, query), 5)
      const exactSeqs = new Set(exact.map(({ seq }) => seq))
      // Without pgvector, short bit signatures have a lower recall than the index.
      const least = on === 'pglite' ? 95 : 70
      expect(found.filter(({ seq }) => exactSeqs.has(seq)).length).toBeGreaterThan(least)
    }
  })

  test('all vectors of a base with few vectors are found', async () => {
    const found = await nearestIn(vector(), [bases[0]!], 120)
    expect(found).toHaveLength(120)
    expect(new Set(found.map(({ base }) => base))).toEqual(new Set([bases[0]]))
    expect(await nearestIn(vector(), [bases[0]!], 200)).toHaveLength(chunks / 10)
  })

  test('a zero query vector or one with other dimensions finds nothing', async () => {
    expect(await nearestIn(Array(dims).fill(0), bases, 10)).toEqual([])
    expect(await nearestIn([1, 2, 3], bases, 10)).toEqual([])
  })
})

describe('the pgvector index', () => {
  let database: Awaited<ReturnType<typeof newDatabase>>
  let sql: Sql
  beforeAll(async () => {
    database = await newDatabase('pglite')
    sql = makeSql(database.driver)
    await fill(sql)
    await createVectorIndex(sql, dims, silent)
    await saveVectors(
      sql,
      'm',
      vectors.map((vector, seq) => ({ hash: chunkHash(seq), vector })),
    )
  })
  afterAll(() => database.drop())

  test('a deep search uses the index if the index returns the required minimum', async () => {
    const [base] = await sql`select no from knowledge.bases where name = 'sys_many'`
    const search = (minimum: number) =>
      findNearest(sql, makeVectorIndexes(), {
        ...{ model: 'm', bases: [Number(base!.no)], vector: vector(), where: fragment`` },
        ...{ limit: chunks, minimum },
      })
    // The index returns at most 1,000 vectors of all bases, the scan every chunk of the base.
    const [byIndex, byScan] = [await search(50), await search(chunks)]
    expect(byIndex.length).toBeLessThan(byScan.length)
    expect(byIndex.length).toBeGreaterThanOrEqual(50)
  })

  const ask = (indexes: ReturnType<typeof makeVectorIndexes>) => {
    const bases = sql`select no from knowledge.bases where name = 'sys_many'`
    return bases.then(([base]) =>
      findNearest(sql, indexes, {
        ...{
          model: 'm',
          bases: [base!.no as number],
          vector: vectors[1]!,
          limit: 50,
          minimum: 50,
          where: fragment``,
        },
      }),
    )
  }

  test('the nearest-neighbour query uses the pgvector index', async () => {
    await sql.statement('set enable_seqscan = off')
    await sql.statement('set enable_sort = off')
    expect((await ask(makeVectorIndexes()))[0]).toMatchObject({ seq: 1 })
    await sql.statement('select pg_stat_force_next_flush()')
    const [used] = await sql`
      select idx_scan from pg_stat_user_indexes where indexrelname = 'embeddings_near_24'`
    expect(used!.idx_scan).toBeGreaterThan(0)
  })

  test('after the pgvector extension is dropped, search works without the index', async () => {
    const indexes = makeVectorIndexes()
    const before = await ask(indexes)
    await sql.statement('drop extension vector cascade')
    const after = await ask(indexes)
    expect(after[0]).toMatchObject({ seq: before[0]!.seq })
    expect(after).toHaveLength(50)
    expect(await indexes.findSchema(sql, dims)).toBeUndefined()
  })
})
