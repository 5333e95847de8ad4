import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { newDatabase } from '../../../tests/support/databases.ts'
import { startKnowledge } from '../../../tests/support/knowledge-process.ts'
import { sha256Hex } from '../../_kit/hash.ts'
import { migrate, splitStatements } from '../../_kit/sql/migrate.ts'
import { type Driver, json, makeSql, numberArray } from '../../_kit/sql/sql.ts'
import { indexedText } from '../indexed-text.ts'
import { encodePostings } from '../search/index/posting.ts'
import { SegmentBuilder } from '../search/index/segment.ts'

const folder = new URL('../migrations/', import.meta.url)

/** Applies the migrations before shards, as the release before them did. */
async function migrateToBases(driver: Driver) {
  const sql = makeSql(driver)
  const names = (await readdir(folder)).filter((file) => file < '120').sort()
  const urls = [new URL('../../_kit/sql/kit.sql', import.meta.url)].concat(
    names.map((file) => new URL(file, folder)),
  )
  await sql.statement('drop schema knowledge cascade')
  await sql.statement('create schema knowledge')
  await sql.statement(
    'create table knowledge.migrations (file text primary key, checksum text not null, applied_at timestamptz)',
  )
  for (const [nth, url] of urls.entries()) {
    const text = (await readFile(url, 'utf8')).replaceAll('{schema}', 'knowledge')
    for (const statement of splitStatements(text)) await sql.statement(statement)
    const file = nth === 0 ? '000_kit.sql' : names[nth - 1]!
    await sql`insert into knowledge.migrations values (${file}, ${await sha256Hex(text)})`
  }
}

/** Writes a base with one document as the release before shards stored it: postings by base. */
async function writeBase(driver: Driver, name: string, contents: readonly string[]) {
  const sql = makeSql(driver)
  const segment = new SegmentBuilder()
  const lengths = contents.map((content, seq) =>
    segment.add(seq, indexedText({ title: 'd', section_id: null, heading: null, content })),
  )
  const words = lengths.reduce((sum, length) => sum + length, 0)
  const [base] = await sql`
    insert into knowledge.bases (id, organization_id, name, next_seq, chunks, words, version)
    values (gen_random_uuid(), 'acme', ${name}, ${contents.length}, ${contents.length}, ${words}, 1)
    returning no`
  const no = Number(base!.no)
  await sql`
    insert into knowledge.documents
      (base, document_id, doc_type, title, metadata, law_keys, law_terms, hash)
    values (${no}, 'd', 'statute', 'd', '{}', '{}', '{}', 'h')`
  await sql`
    insert into knowledge.chunks
      (base, seq, document_id, chunk_index, content, metadata, hash, words)
    select ${no}::int, nth - 1, 'd', nth - 1, content, '{}', md5(content), words
    from jsonb_array_elements_text(${json(contents)}) with ordinality given (content, nth)
      join unnest(${numberArray(lengths)}) with ordinality length (words, nth) using (nth)`
  const { firstSeq, endSeq, terms, ends, postings } = segment.build()
  await sql`
    insert into knowledge.segments (base, first_seq, end_seq, terms, ends, entries)
    values (${no}, ${firstSeq}, ${endSeq}, ${numberArray([...terms], 'int4')},
      ${numberArray([...ends], 'int4')}, ${encodePostings(postings)})`
  await sql`
    insert into knowledge.jobs (id, kind, payload, run_at, max_attempts)
    values (gen_random_uuid(), 'merge', ${json({ base: no })}, now(), 8)`
}

test('bases of a release without shards are found after the upgrade, and share a shard in the end', async () => {
  const database = await newDatabase('pglite')
  try {
    const { driver } = database
    await migrateToBases(driver)
    for (const name of ['one', 'two', 'three']) {
      await writeBase(driver, name, [`lien ${name}`, 'debt', `lien lien ${name}`])
    }
    expect(await migrate(driver, 'knowledge', 'knowledge')).toContain('120_shards.sql')
    const process = startKnowledge(driver)
    const search = async () => {
      const { hits } = await process.post('atomic/keyword-search', { query: 'lien', top_k: 100 })
      return hits.map((hit: any) => [hit.content, hit.score])
    }
    const found = await search()
    expect(found.map(([content]: [string]) => content).sort()).toEqual(
      ['one', 'two', 'three'].flatMap((name) => [`lien ${name}`, `lien lien ${name}`]).sort(),
    )
    await process.settle()
    expect(await search()).toEqual(found)
    await process.sweep()
    await process.settle()
    expect(new Set(await search())).toEqual(new Set(found))
    const sql = makeSql(driver)
    expect(await sql`select distinct shard from knowledge.bases`).toHaveLength(1)
    expect(await sql`select no, shared, next_seq from knowledge.shards`).toEqual([
      { no: 1, shared: true, next_seq: 9 },
    ])
    expect(await sql`select from knowledge.jobs where status <> 'DONE'`).toEqual([])
  } finally {
    await database.drop()
  }
})
