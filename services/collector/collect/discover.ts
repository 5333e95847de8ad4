import type { ServiceContext } from '../../_kit/context.ts'
import { FetchError, parseUrl } from '../../_kit/outbound/address.ts'
import type { Deps } from '../deps.ts'
import { decodePage } from '../fetch/charset.ts'
import { parseFeed } from '../fetch/feed.ts'
import { decompress, isGzip } from '../fetch/inflate.ts'
import { isIncluded } from '../fetch/pattern.ts'
import type { Source } from './source.ts'
import { followsLinks, type VisitResult } from './visit.ts'

const maxSitemaps = 100

/** Returns the start URLs of a source: its own URL, or the URLs in its sitemap or feed. */
export async function discoverUrls(
  context: ServiceContext<Deps>,
  source: Source,
  signal: AbortSignal,
) {
  const start = parseUrl(source.url!)
  if (source.kind === 'http') return [start.href]
  const found = new Set<string>()
  const queue = [start]
  const seen = new Set([start.href])
  for (let read = 0; queue.length > 0 && read < maxSitemaps; read++) {
    const at = queue.shift()!
    const { urls, sitemaps } = await readFeed(context, at, signal)
    for (const url of parseUrls(urls, at)) {
      if (isIncluded(url, source.include, source.exclude)) found.add(url.href)
    }
    for (const url of parseUrls(sitemaps, at)) {
      if (!seen.has(url.href)) queue.push(url)
      seen.add(url.href)
    }
  }
  return [...found]
}

async function readFeed({ collection }: ServiceContext<Deps>, at: URL, signal: AbortSignal) {
  const { fetcher, robots } = await collection!.tools()
  const rules = await robots(at, signal)
  if (!rules.allows(at)) throw new FetchError(`robots.txt does not allow ${at.href}.`)
  const { status, headers, body } = await fetcher(at, { signal, delayMs: rules.delayMs })
  if (status !== 200) throw new FetchError(`${at.href} returned HTTP ${status}.`)
  const bytes = isGzip(body) ? await decompress(body, 'gzip', collection!.maxBytes) : body
  return parseFeed(decodePage(bytes, headers.get('content-type')))
}

/** Links of a page to follow: same origin and matched by `include`. */
export function extractLinks(source: Source, visited: VisitResult): string[] {
  if (!('text' in visited) || !followsLinks(source)) return []
  const { url, include, exclude } = source
  const { origin } = new URL(url!)
  return parseUrls(visited.links, visited.at)
    .filter((link) => link.origin === origin && isIncluded(link, include, exclude))
    .map((link) => link.href)
}

function parseUrls(texts: string[], base: URL): URL[] {
  return texts.flatMap((text) => {
    try {
      const url = parseUrl(text, base)
      return url.href.length <= 2_000 ? url : []
    } catch {
      return []
    }
  })
}
