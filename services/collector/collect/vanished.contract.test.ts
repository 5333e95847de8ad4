import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type CollectionStage, stageCollection } from '../../../tests/support/collection.ts'
import { key, testProject } from '../../../tests/support/stage.ts'

const law = (name: string) => `<h1>${name}</h1><p>第一条 ${name}。</p>`
const link = (path: string) => `<main><a href="${path}">law</a></main>`

let at: CollectionStage
beforeAll(async () => {
  at = await stageCollection({ COLLECTOR_MAX_PAGES: '3' })
})
afterAll(() => at.close())
beforeEach(() => at.reset())

const missingUrls = async (sourceId: string) =>
  (await at.documents(sourceId))
    .filter(({ missing_since }: { missing_since: unknown }) => missing_since)
    .map(({ url }: { url: string }) => url.slice(at.site.length))

const createSite = () => at.createSource({ include: ['/', '/a/*'] })

const sitemap = (...paths: string[]) =>
  `<urlset>${paths.map((path) => `<url><loc>${at.site}${path}</loc></url>`).join('')}</urlset>`

describe.skipIf(testProject === 'workerd')('a page that a run did not see', () => {
  test('is not missing if the page that links to it did not change', async () => {
    at.pages['/'] = ({ headers }, response) => {
      const answer = { etag: '"v1"', 'content-type': 'text/html' }
      if (headers['if-none-match'] === '"v1"') response.writeHead(304, answer).end()
      else response.writeHead(200, answer).end(link('/a/1'))
    }
    at.pages['/a/1'] = law('甲法')
    const { id } = await createSite()
    await at.collect(id)
    expect((await at.collect(id)).counts).toMatchObject({ found: 2, unchanged: 2 })
    expect(await missingUrls(id)).toEqual([])
  })

  test('is not missing if the page that links to it failed', async () => {
    at.pages['/'] = link('/a/1')
    at.pages['/a/1'] = law('甲法')
    const { id } = await createSite()
    await at.collect(id)
    at.pages['/'] = (_, response) => response.writeHead(500).end()
    await at.collect(id)
    expect(await missingUrls(id)).toEqual([])
    at.pages['/'] = '<main>empty</main>'
    await at.collect(id)
    expect(await missingUrls(id)).toEqual(['/a/1'])
    at.pages['/'] = link('/a/1')
    await at.collect(id)
    expect(await missingUrls(id)).toEqual([])
  })

  test('is not missing if the run reached the maximum number of pages', async () => {
    for (const path of ['/a/1', '/a/2', '/a/3', '/a/4']) at.pages[path] = law(path)
    at.pages['/map'] = sitemap('/a/1', '/a/2')
    const { id } = await at.createSource({ kind: 'sitemap', url: `${at.site}/map` })
    await at.collect(id)
    at.pages['/map'] = sitemap('/a/3', '/a/4', '/a/2', '/a/1')
    expect((await at.collect(id)).counts.found).toBe(3)
    expect(await missingUrls(id)).toEqual([])
    at.pages['/map'] = sitemap('/a/3', '/a/4')
    await at.collect(id)
    expect((await missingUrls(id)).sort()).toEqual(['/a/1', '/a/2'])
  })

  test('is not missing if a feed does not list it any more, unless the server says so', async () => {
    const feed = (...paths: string[]) =>
      `<rss><channel>${paths.map((path) => `<item><link>${path}</link></item>`)}</channel></rss>`
    at.pages['/feed'] = feed('/a/1', '/a/2')
    at.pages['/a/1'] = law('甲法')
    at.pages['/a/2'] = law('乙法')
    const { id } = await at.createSource({ kind: 'rss', url: `${at.site}/feed` })
    await at.collect(id)
    at.pages['/feed'] = feed('/a/2')
    delete at.pages['/a/2']
    await at.collect(id)
    expect(await missingUrls(id)).toEqual(['/a/2'])
  })
})

describe.skipIf(testProject === 'workerd')('an import that is refused', () => {
  test('does not keep other pages from the base, and is tried again', async () => {
    const refused = at.targets.state.rejectBodiesWith.add('甲法')
    at.pages['/map'] = sitemap('/a/1', '/a/2')
    at.pages['/a/1'] = law('甲法')
    at.pages['/a/2'] = law('乙法')
    const source = { kind: 'sitemap', url: `${at.site}/map`, schedule: '0 3 * * *', kb_id: 'mine' }
    const { id } = await at.createSource(source)
    const runScheduled = async () => {
      await at.sql`update collector.sources set next_run_at = now() where id = ${id}`
      await at.tick()
      await at.tick()
      const documents = await at.documents(id)
      return documents.map(({ status }: { status: string }) => status).sort()
    }
    expect(await runScheduled()).toEqual(['FAILED', 'IMPORTED'])
    const failed = (await at.documents(id)).find(({ error }: { error: unknown }) => error)
    expect(failed.error).toBe('Import failed: Stubbed fault.')
    refused.clear()
    expect(await runScheduled()).toEqual(['IMPORTED', 'IMPORTED'])
  })

  test('a vanished page is removed although its base was deleted', async () => {
    at.pages['/'] = law('甲法')
    const { id } = await at.createSource({ kb_id: 'gone' })
    await at.collect(id)
    await at.sql`
      update collector.documents
      set missing_since = now() - interval '31 days', imported_kb_id = 'gone' where source_id = ${id}`
    const headers = { 'x-internal-api-key': key }
    at.targets.state.missingBases.add('gone')
    await at.request('POST', '/api/v1/internal/actuator/tick', { headers })
    expect(await at.documents(id)).toEqual([])
  })
})
