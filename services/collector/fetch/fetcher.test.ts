import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { FetchError, parseUrl } from '../../_kit/outbound/address.ts'
import { nodeTransport } from '../../_kit/outbound/transport.node.ts'
import type { Transport } from '../../_kit/outbound/transport.ts'
import { decodePage } from './charset.ts'
import { parseFeed } from './feed.ts'
import { type FetchLimits, makeFetcher } from './fetcher.ts'
import { parsePage } from './page.ts'
import { makeRobots } from './robots.ts'

let respond: (request: IncomingMessage, response: ServerResponse) => void
let seen: { host: string; url: string; headers: IncomingMessage['headers'] }[] = []
const server = createServer((request, response) => {
  seen.push({ host: request.headers.host ?? '', url: request.url ?? '', headers: request.headers })
  respond(request, response)
})
let port = 0
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => server.close())
beforeEach(() => {
  seen = []
  respond = (_, response) => response.end('fine')
})

const limits: FetchLimits = {
  allowedHosts: ['inside.test'],
  maxBytes: 100_000,
  timeoutMs: 2_000,
  delayMs: 0,
  userAgent: 'test-agent/1.0',
}

/** Fetcher with a DNS stub. Each lookup of a name consumes one of its answers; the last one repeats. */
function makeNamedHosts(answers: Record<string, string[][]>) {
  const lookups: string[] = []
  const connected: string[] = []
  const transport: Transport = {
    async resolve(name) {
      lookups.push(name)
      const list = answers[name] ?? []
      return (list.length > 1 ? list.shift() : list[0]) ?? []
    },
    exchange(request) {
      connected.push(request.address)
      // Tests connect to loopback only.
      if (request.address !== '127.0.0.1') throw new FetchError('Far away.')
      return nodeTransport.exchange(request)
    },
  }
  const fetcher = makeFetcher(transport, limits)
  const get = (url: string, more = {}) =>
    fetcher(parseUrl(url), { signal: new AbortController().signal, ...more })
  return { get, fetcher, asked: lookups, connected }
}

describe('the fetcher', () => {
  test('the fetcher connects to the checked address and sends the host name', async () => {
    const { get, asked: lookups, connected } = makeNamedHosts({ 'inside.test': [['127.0.0.1']] })
    const { status, body, url } = await get(`http://inside.test:${port}/a?b=c`)
    expect([status, decodePage(body, null), url.pathname]).toEqual([200, 'fine', '/a'])
    expect([lookups, connected]).toEqual([['inside.test'], ['127.0.0.1']])
    expect(seen[0]).toMatchObject({ host: `inside.test:${port}`, url: '/a?b=c' })
    expect(seen[0]!.headers['user-agent']).toBe('test-agent/1.0')
  })

  test.each([
    ['outside.test', [['127.0.0.1']]],
    ['outside.test', [['8.8.8.8', '10.0.0.1']]],
    ['outside.test', [['::ffff:169.254.169.254']]],
    ['localhost', [['::1']]],
    ['outside.test', [[]]],
  ])('the fetcher never connects if %s is %j', async (name, answers) => {
    const { get, connected } = makeNamedHosts({ [name]: answers })
    await expect(get(`http://${name}:${port}/`)).rejects.toThrow(/not public|not found/)
    expect([connected, seen]).toEqual([[], []])
  })

  test('the fetcher resolves a name once, so that DNS rebinding has no effect', async () => {
    const {
      get,
      asked: lookups,
      connected,
    } = makeNamedHosts({
      'rebound.test': [['192.0.66.1'], ['127.0.0.1']],
    })
    await expect(get(`http://rebound.test:${port}/`)).rejects.toThrow('Far away.')
    expect([lookups, connected, seen]).toEqual([['rebound.test'], ['192.0.66.1'], []])
  })

  test.each([
    'http://127.0.0.1:1/',
    'http://2130706433/',
    'http://[::1]/',
    'http://outside.test/',
    'file:///etc/passwd',
    'http://user:word@inside.test/',
  ])('the fetcher rejects a redirect to %s', async (location) => {
    respond = (_, response) => response.writeHead(302, { location }).end()
    const { get, connected } = makeNamedHosts({
      'inside.test': [['127.0.0.1']],
      'outside.test': [['192.168.0.1']],
    })
    await expect(get(`http://inside.test:${port}/`)).rejects.toThrow(
      /not public|Only http|credentials/,
    )
    expect(connected).toEqual(['127.0.0.1'])
  })

  test('the fetcher follows redirects up to a limit', async () => {
    respond = ({ url }, response) =>
      url === '/end'
        ? response.end('there')
        : response.writeHead(301, { location: url === '/start' ? '/end' : '/loop' }).end()
    const { get } = makeNamedHosts({ 'inside.test': [['127.0.0.1']] })
    expect((await get(`http://inside.test:${port}/start`)).url.pathname).toBe('/end')
    await expect(get(`http://inside.test:${port}/loop`)).rejects.toThrow('Too many redirects.')
  })

  test('the fetcher retries after 503 and gives up after three attempts', async () => {
    respond = (_, response) =>
      seen.length < 3
        ? response.writeHead(503, { 'retry-after': '0' }).end()
        : response.end('at last')
    const { get } = makeNamedHosts({ 'inside.test': [['127.0.0.1']] })
    expect(decodePage((await get(`http://inside.test:${port}/`)).body, null)).toBe('at last')
    respond = (_, response) => response.writeHead(429, { 'retry-after': '0' }).end()
    seen = []
    await expect(get(`http://inside.test:${port}/`)).rejects.toThrow('returned HTTP 429')
    expect(seen).toHaveLength(3)
  })

  test('the fetcher enforces the limits on size, decompressed size and time', async () => {
    const { get } = makeNamedHosts({ 'inside.test': [['127.0.0.1']] })
    const url = `http://inside.test:${port}/`
    respond = (_, response) => response.end('x'.repeat(100_001))
    await expect(get(url)).rejects.toThrow('The page exceeds 100000 bytes.')
    const bomb = gzipSync(Buffer.alloc(50_000_000))
    expect(bomb.length).toBeLessThan(100_000)
    respond = (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
    await expect(get(url)).rejects.toThrow('The decompressed body exceeds 100000 bytes.')
    respond = (_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('not packed')
    }
    await expect(get(url)).rejects.toThrow('damaged')
    respond = () => {}
    const cancelled = new AbortController()
    const waiting = get(url, { signal: cancelled.signal })
    cancelled.abort(new Error('cancelled'))
    await expect(waiting).rejects.toThrow('cancelled')
  })

  test('the fetcher reads robots.txt once per site and obeys it', async () => {
    const robots = (text: string, status = 200) => {
      respond = (_, response) => response.writeHead(status, { 'retry-after': '0' }).end(text)
      const { fetcher } = makeNamedHosts({ 'inside.test': [['127.0.0.1']] })
      const rules = makeRobots(fetcher, 'test-agent/1.0')
      return (path: string) =>
        rules(new URL(`http://inside.test:${port}${path}`), new AbortController().signal)
    }
    const site = robots('User-agent: test-agent\nDisallow: /secret\nCrawl-delay: 2\n')
    const isAllowed = async (path: string) =>
      (await site(path)).allows(new URL(`http://inside.test:${port}${path}`))
    expect([await isAllowed('/a'), await isAllowed('/secret/b')]).toEqual([true, false])
    expect((await site('/a')).delayMs).toBe(2_000)
    expect(seen).toHaveLength(1)
    const url = new URL(`http://inside.test:${port}/a`)
    expect((await robots('', 404)('/a')).allows(url)).toBe(true)
    expect((await robots('', 500)('/a')).allows(url)).toBe(false)
  })
})

describe('a fetched body', () => {
  const gbk = new Uint8Array([0xb7, 0xa8, 0xc2, 0xc9])

  test('a fetched body is decoded in its declared or detected charset', () => {
    const bytes = (text: string) => new TextEncoder().encode(text)
    const concatBytes = (...parts: Uint8Array[]) =>
      new Uint8Array(parts.flatMap((part) => [...part]))
    expect(decodePage(gbk, 'text/html; charset=GBK')).toBe('法律')
    expect(decodePage(gbk, 'text/html')).toBe('法律')
    expect(decodePage(concatBytes(bytes('<meta charset="gb2312">'), gbk), null)).toContain('法律')
    const meta = bytes('<meta http-equiv="Content-Type" content="text/html; charset=gbk">')
    expect(decodePage(concatBytes(meta, gbk), null)).toContain('法律')
    expect(decodePage(bytes('法律'), 'text/html')).toBe('法律')
    expect(decodePage(bytes('法律'), 'text/html; charset=nonsense')).toBe('法律')
    expect(decodePage(new Uint8Array([0xff, 0xfe, 0xd5, 0x6c]), null)).toBe('法')
  })

  test('a fetched body is parsed into title, main text and links', () => {
    const article = `<p>第一条 ${'借款应当归还。'.repeat(40)}</p><p>A &amp; B&nbsp;C</p>`
    const page = parsePage(`<html><head><title> 民法典
      全文 </title><script>var x = "<p>no</p>"</script></head><body><nav><a href="/home">Home</a></nav>
      <header>Site</header><main><h1>民法典</h1>${article}</main><footer>©</footer></body></html>`)
    expect(page.title).toBe('民法典 全文')
    expect(page.text).toMatch(/^民法典\n第一条 借款/)
    expect(page.text).toMatch(/\nA & B C$/)
    expect(page.links).toEqual(['/home'])
    expect(parsePage('<div>Only<br>this</div><nav>not this</nav>').text).toBe('Only\nthis')
    expect(parsePage('<head><title>法</title><p>第一条').text).toBe('第一条')
    expect(parsePage(`${'<div>'.repeat(900)}deep`).text).toBe('deep')
    expect(() => parsePage('<div>'.repeat(2_000_000))).toThrow('nested too deep')
    expect(() => parseFeed('<a>'.repeat(2_000_000))).toThrow('nested too deep')
  })

  test('a sitemap, sitemap index, RSS or Atom feed yields its URLs', () => {
    expect(
      parseFeed('<urlset><url><loc> https://a.test/1?x=1&amp;y=2 </loc></url></urlset>').urls,
    ).toEqual(['https://a.test/1?x=1&y=2'])
    expect(
      parseFeed('<sitemapindex><sitemap><loc>https://a.test/s.gz</loc></sitemap></sitemapindex>'),
    ).toEqual({ urls: [], sitemaps: ['https://a.test/s.gz'] })
    expect(
      parseFeed('<rss><channel><link>no</link><item><link>/1</link></item></channel></rss>').urls,
    ).toEqual(['/1'])
    const atom =
      '<feed><link href="/no"/><entry><link rel="edit" href="/no"/><link href="/2"/></entry></feed>'
    expect(parseFeed(atom).urls).toEqual(['/2'])
    const bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><url><loc>&b;</loc></url>'
    expect(parseFeed(bomb).urls.join('').length).toBeLessThan(50)
    expect(parseFeed('not xml at all <<<')).toEqual({ urls: [], sitemaps: [] })
  })
})
