import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type CollectionStage, stageCollection } from '../../../tests/support/collection.ts'
import { key, testProject } from '../../../tests/support/stage.ts'

const fetches = testProject !== 'workerd'
if (!fetches) console.warn('skipped: workerd can’t choose the address that it connects to')

const page = (text: string) => `<title>T ${text}</title><main>${text}</main>`

let at: CollectionStage
beforeAll(async () => {
  at = await stageCollection()
})
afterAll(() => at.close())
beforeEach(() => at.reset())

describe.runIf(fetches)('a run', () => {
  test('a page is NEW on the first run, then unchanged, CHANGED or FAILED', async () => {
    at.pages['/'] = page('first text')
    const { id } = await at.createSource()
    const run = await at.collect(id)
    expect(run).toMatchObject({ status: 'SUCCEEDED', counts: { found: 1, new: 1, failed: 0 } })
    const [document] = await at.documents(id)
    expect(document).toMatchObject({ url: `${at.site}/`, title: 'T first text', status: 'NEW' })
    expect((await at.call('GET', `/documents/${document.id}`)).data.content).toBe('first text')
    expect((await at.collect(id)).counts).toMatchObject({ new: 0, unchanged: 1 })
    at.pages['/'] = page('second text')
    expect((await at.collect(id)).counts).toMatchObject({ changed: 1 })
    expect((await at.documents(id))[0]).toMatchObject({ id: document.id, status: 'CHANGED' })
    delete at.pages['/']
    const failed = await at.collect(id)
    expect(failed).toMatchObject({ status: 'FAILED', counts: { failed: 1 } })
    expect(failed.log.at(-1).message).toContain('The server returned HTTP 404.')
    const stored = (await at.call('GET', `/documents/${document.id}`)).data
    expect(stored).toMatchObject({ status: 'FAILED', content: 'second text' })
  })

  test('changes of the status of a run are published', async () => {
    const statuses = async (runId: string) =>
      (
        await at.sql`
          select body -> 'data' ->> 'status' as status from collector.event_outbox
          where body ->> 'type' = 'job.updated' and body ->> 'organization_id' = 'acme'
            and body -> 'data' ->> 'job_id' = ${runId} order by id`
      ).map(({ status }) => status)
    at.pages['/'] = page('text')
    const { id } = await at.createSource()
    const run = await at.collect(id)
    // The tick publishes the first event before it runs the job.
    expect((await statuses(run.id)).slice(-2)).toEqual(['RUNNING', 'SUCCEEDED'])
    const { data } = await at.call('POST', `/sources/${id}/runs`)
    await at.call('POST', `/runs/${data.id}/cancel`)
    await at.call('POST', `/runs/${data.id}/cancel`)
    expect(await statuses(data.id)).toEqual(['PENDING', 'CANCELLED'])
  })

  test('a second run sends conditional requests', async () => {
    at.pages['/'] = ({ headers }, response) => {
      if (headers['if-none-match'] === '"v1"') response.writeHead(304).end()
      else response.writeHead(200, { etag: '"v1"', 'content-type': 'text/plain' }).end('plain 文本')
    }
    const { id } = await at.createSource()
    expect((await at.collect(id)).counts.new).toBe(1)
    expect((await at.collect(id)).counts).toMatchObject({ unchanged: 1, failed: 0 })
    expect((await at.documents(id))[0]).toMatchObject({ status: 'UNCHANGED', title: 'plain 文本' })
  })

  test('links, sitemaps and feeds are followed within include, exclude and robots.txt', async () => {
    const links = ['/a/1', '/a/2#part', '/b/1', 'http://elsewhere.test/a/1', '/a/secret']
    at.pages['/'] = links.map((href) => `<a href="${href}">x</a>`).join('')
    for (const path of ['/a/1', '/a/2', '/b/1', '/c']) at.pages[path] = page(`text of ${path}`)
    const crawled = await at.createSource({ include: ['/', '/a/*'] })
    const run = await at.collect(crawled.id)
    expect(run.counts).toMatchObject({ found: 4, new: 3, skipped: 1 })
    expect((await at.documents(crawled.id)).map((each: any) => each.url).sort()).toEqual([
      `${at.site}/`,
      `${at.site}/a/1`,
      `${at.site}/a/2`,
    ])
    expect(at.requestedPaths).not.toContain('/a/secret')

    const inner = `<urlset><url><loc>${at.site}/a/1</loc></url><url><loc>${at.site}/c</loc></url></urlset>`
    at.pages['/index.xml'] =
      `<sitemapindex><sitemap><loc>${at.site}/inner.gz</loc></sitemap></sitemapindex>`
    at.pages['/inner.gz'] = (_, response) => response.end(gzipSync(inner))
    const sitemap = await at.createSource({
      kind: 'sitemap',
      url: `${at.site}/index.xml`,
      exclude: ['/c'],
    })
    expect((await at.collect(sitemap.id)).counts).toMatchObject({ found: 1, new: 1 })

    at.pages['/feed'] = '<rss><channel><item><link>/c</link></item></channel></rss>'
    const feed = await at.createSource({ kind: 'rss', url: `${at.site}/feed` })
    expect((await at.collect(feed.id)).counts).toMatchObject({ found: 1, new: 1 })
    const lost = await at.createSource({ kind: 'rss', url: `${at.site}/lost` })
    expect(await at.collect(lost.id)).toMatchObject({ status: 'FAILED', counts: { found: 0 } })
  })

  test('a redirect to a private address fails the run', async () => {
    at.pages['/'] = (_, response) =>
      response.writeHead(302, { location: 'http://localhost:1/' }).end()
    const { id } = await at.createSource()
    const run = await at.collect(id)
    expect([run.status, run.log.at(-1).message]).toEqual([
      'FAILED',
      expect.stringContaining('localhost has an address that is not public'),
    ])
  })

  test('a second run gets 409 and a running one can be cancelled', async () => {
    let release = () => {}
    at.pages['/'] = (_, response) => {
      release = () => response.end('late')
    }
    const { id } = await at.createSource()
    const { data: run } = await at.call('POST', `/sources/${id}/runs`)
    const second = await at.call('POST', `/sources/${id}/runs`)
    expect([second.status, second.code]).toEqual([409, 'RUN_IN_PROGRESS'])
    const working = at.tick()
    await expect.poll(() => at.requestedPaths, { timeout: 10_000 }).toContain('/')
    const cancelled = await at.call('POST', `/runs/${run.id}/cancel`)
    expect(cancelled.data).toMatchObject({ status: 'CANCELLED' })
    await working
    release()
    expect(await at.documents(id)).toEqual([])
    expect((await at.call('POST', `/runs/${run.id}/cancel`)).status).toBe(200)
    at.pages['/'] = page('again')
    const ended = await at.collect(id)
    expect(ended.status).toBe('SUCCEEDED')
    expect((await at.call('POST', `/runs/${ended.id}/cancel`)).status).toBe(409)
  })

  test('a run continues where a crashed process stopped', async () => {
    at.pages['/'] = '<a href="/1">x</a><a href="/2">x</a>'
    at.pages['/1'] = page('one')
    at.pages['/2'] = page('two')
    const { id } = await at.createSource({ include: ['/1', '/2'] })
    const { data: run } = await at.call('POST', `/sources/${id}/runs`)
    // State after a crash: the first two pages are done and the lease has expired.
    await at.sql`update collector.runs set status = 'RUNNING', attempt = 1, counts = counts || '{"new": 2}'
      where id = ${run.id}`
    for (const [path, done] of [
      ['/', true],
      ['/1', true],
      ['/2', false],
    ] as const) {
      await at.sql`insert into collector.frontier (run_id, url, done)
        values (${run.id}, ${at.site + path}, ${done})`
    }
    await at.sql`update collector.jobs set status = 'RUNNING', attempts = 1,
      lease_until = now() - interval '1 second' where payload ->> 'run_id' = ${run.id}`
    await at.tick()
    expect((await at.call('GET', `/runs/${run.id}`)).data).toMatchObject({
      status: 'SUCCEEDED',
      counts: { new: 3 },
    })
    expect(at.requestedPaths.filter((path) => path !== '/robots.txt')).toEqual(['/2'])
  })

  test('a scheduled run imports articles as chunks and removes vanished pages after the grace period', async () => {
    at.pages['/'] = '<main><a href="/a/1">law</a></main>'
    at.pages['/a/1'] = '<h1>某法</h1><p>第一章 总则</p><p>第一条 甲。</p><p>第二条 乙。</p>'
    const body = { kb_id: 'mine', include: ['/', '/a/*'], schedule: '0 3 * * *' }
    const { id } = await at.createSource(body)
    const schedule = async () => {
      await at.sql`update collector.sources set next_run_at = now() where id = ${id}`
      await at.tick()
      await at.tick()
    }
    await schedule()
    const imported = at.targets.requests.filter(({ path }) => path.endsWith('/batch-upsert'))
    const law = imported
      .map(({ body }) => body.documents[0])
      .find(({ metadata }) => metadata.url.endsWith('/a/1'))
    expect(law.chunks).toMatchObject([
      { content: '某法' },
      { section_id: '第一章/第一条', content: '第一条 甲。', metadata: { heading: '第一章 总则' } },
      { section_id: '第一章/第二条', content: '第二条 乙。' },
    ])
    const list = () => at.documents(id)
    expect((await list()).map(({ status }: { status: string }) => status)).toEqual([
      'IMPORTED',
      'IMPORTED',
    ])

    delete at.pages['/a/1']
    at.pages['/'] = '<main>empty</main>'
    await schedule()
    const missing = (await list()).filter((one: { missing_since: unknown }) => one.missing_since)
    expect(missing).toMatchObject([{ url: `${at.site}/a/1` }])
    await at.request('POST', '/api/v1/internal/actuator/tick', {
      headers: { 'x-internal-api-key': key },
    })
    expect(await list()).toHaveLength(2)
    await at.sql`update collector.documents set missing_since = now() - interval '31 days'
      where id = ${missing[0].id}`
    await at.request('POST', '/api/v1/internal/actuator/tick', {
      headers: { 'x-internal-api-key': key },
    })
    expect(await list()).toHaveLength(1)
    expect(at.targets.requests.at(-1)).toMatchObject({
      path: '/api/v1/internal/atomic/delete-by-file',
      body: { kb_id: 'mine', file_id: missing[0].id },
    })
  })

  test('a due schedule starts exactly one run', async () => {
    at.pages['/'] = page('scheduled')
    const { id, next_run_at } = await at.createSource({ schedule: '*/5 * * * *' })
    expect(Date.parse(next_run_at)).toBeGreaterThan(Date.now())
    await at.sql`update collector.sources set next_run_at = now() - interval '1 minute' where id = ${id}`
    await Promise.all([at.tick(), at.tick()])
    await at.tick()
    const { data } = await at.call('GET', `/runs?source_id=${id}`)
    expect(data.items).toMatchObject([{ trigger: 'schedule', status: 'SUCCEEDED' }])
    expect(Date.parse((await at.call('GET', `/sources/${id}`)).data.next_run_at)).toBeGreaterThan(
      Date.now(),
    )
    const off = await at.call('PUT', `/sources/${id}`, { enabled: false })
    expect(off.data.next_run_at).toBeNull()
    expect((await at.call('POST', `/sources/${id}/runs`)).status).toBe(409)
  })
})

test.skipIf(fetches)('without a fetcher a run waits for a runtime that has one', async () => {
  const { id } = await at.createSource()
  const run = await at.collect(id)
  expect(run.status).toBe('PENDING')
  expect((await at.call('POST', `/runs/${run.id}/cancel`)).data.status).toBe('CANCELLED')
})
