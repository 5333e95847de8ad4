import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  external,
  type KnowledgeStage,
  seed,
  stageKnowledge,
} from '../../../tests/support/knowledge.ts'

let at: KnowledgeStage
beforeAll(async () => {
  at = await stageKnowledge()
})
afterAll(() => at.close())

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const name = fc.constantFrom('One', 'Two', '三')

/** Contents of a package with unique ids. */
const holding = fc.uniqueArray(fc.record({ id, name }), { selector: (each) => each.id })

describe('seed imports', () => {
  test('a structured import replaces the records of its package and returns the counts of its dry run', async () => {
    let packages = 0
    await fc.assert(
      fc.asyncProperty(holding, holding, async (before, after) => {
        const source = { package_id: `package-${++packages}` }
        const send = async (records: typeof before, more = {}) => {
          const litigation_elements = records.map((each) => ({
            element_id: `${source.package_id}.${each.id}`,
            cause_of_action_code: source.package_id,
            name: each.name,
          }))
          const body = { litigation_elements, source, ...more }
          return (await at.post(`${seed}/structured/import`, body)).data
        }
        await send(before)
        const planned = await send(after, { dry_run: true })
        const done = await send(after)
        expect(done).toEqual(planned)
        const same = after.filter((one) =>
          before.some((old) => old.id === one.id && old.name === one.name),
        )
        const gone = before.filter((old) => !after.some((one) => one.id === old.id))
        expect([done.unchanged, done.deleted]).toEqual([same.length, gone.length])
        expect(done.created + done.updated + done.unchanged).toBe(after.length)
        expect(await send(after)).toMatchObject({ unchanged: after.length, created: 0, deleted: 0 })
      }),
      { numRuns: 20 },
    )
  })

  test('a document import replaces the documents of its package and updates the index', async () => {
    let bases = 0
    await fc.assert(
      fc.asyncProperty(holding, holding, async (before, after) => {
        const kb = { name: `sys_property_${++bases}` }
        const send = async (records: typeof before) => {
          const documents = records.map((each) => ({
            document_id: each.id,
            doc_type: 'statute',
            title: 'T',
            content: `Article 1 ${each.name} common`,
          }))
          const body = { kb, documents, source: { package_id: 'p' } }
          return (await at.post(`${seed}/system-kb-documents/import`, body)).data
        }
        await send(before)
        await send(after)
        const found = await at.searchIds([kb.name], 'common', { top_k: 100 })
        expect(found.sort()).toEqual(after.map((each) => each.id).sort())
        expect(await send(after)).toEqual({
          created: 0,
          updated: 0,
          unchanged: after.length,
          deleted: 0,
        })
      }),
      { numRuns: 15 },
    )
  })
})

describe('pages of documents', () => {
  test('for every page size the pages contain each document once, in order', async () => {
    const kb = await at.createBase()
    const ids = Array.from({ length: 23 }, (_, index) => `d${String(index).padStart(2, '0')}`)
    await at.upsert(
      kb,
      ids.map((document_id) => ({ document_id, chunks: ['x'] })),
    )
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 30 }), async (size) => {
        const seen: string[] = []
        for (let page = 1; ; page++) {
          const path = `${external}/bases/${kb}/documents?page=${page}&size=${size}`
          const { data } = await at.get(path)
          expect(data).toMatchObject({ page, size, total: 23, total_pages: Math.ceil(23 / size) })
          if (data.items.length === 0) break
          seen.push(...data.items.map((item: any) => item.document_id))
        }
        expect(seen).toEqual(ids)
      }),
      { numRuns: 8 },
    )
  })
})
