import type { ServiceContext } from '../../_kit/service.ts'
import type { Deps } from '../deps.ts'
import { checkedUrl, Unfetchable } from '../fetch/address.ts'
import { textOf } from '../fetch/charset.ts'
import { feedFrom } from '../fetch/feed.ts'
import { isGzip, unpacked } from '../fetch/inflate.ts'
import { isWanted } from '../fetch/pattern.ts'
import type { Source } from './source.ts'
import type { Visited } from './visit.ts'

const mostSitemaps = 100

/** The addresses that a source begins with: its own, or those that its sitemap or feed lists. */
export async function discovered(given: ServiceContext<Deps>, source: Source, signal: AbortSignal) {
  const start = checkedUrl(source.url!)
  if (source.kind === 'http') return [start.href]
  const found = new Set<string>()
  const waiting = [start]
  const seen = new Set([start.href])
  for (let read = 0; waiting.length > 0 && read < mostSitemaps; read++) {
    const at = waiting.shift()!
    const { urls, sitemaps } = await readFeed(given, at, signal)
    for (const url of wanted(urls, at)) {
      if (isWanted(url, source.include, source.exclude)) found.add(url.href)
    }
    for (const url of wanted(sitemaps, at)) {
      if (!seen.has(url.href)) waiting.push(url)
      seen.add(url.href)
    }
  }
  return [...found]
}

async function readFeed({ collection }: ServiceContext<Deps>, at: URL, signal: AbortSignal) {
  const { fetcher, robots } = await collection!.tools()
  const rules = await robots(at, signal)
  if (!rules.allows(at)) throw new Unfetchable(`robots.txt does not allow ${at.href}.`)
  const { status, headers, body } = await fetcher(at, { signal, delayMs: rules.delayMs })
  if (status !== 200) throw new Unfetchable(`${at.href} answered ${status}.`)
  const bytes = isGzip(body) ? await unpacked(body, 'gzip', collection!.maxBytes) : body
  return feedFrom(textOf(bytes, headers.get('content-type')))
}

/** Links of a page that are to be followed: within its site, where `include` asks for them. */
export function linksOf({ url, include, exclude }: Source, visited: Visited): string[] {
  if (!('text' in visited) || include.length === 0) return []
  const { origin } = new URL(url!)
  return wanted(visited.links, visited.at)
    .filter((link) => link.origin === origin && isWanted(link, include, exclude))
    .map((link) => link.href)
}

function wanted(texts: string[], base: URL): URL[] {
  return texts.flatMap((text) => {
    try {
      const url = checkedUrl(text, base)
      return url.href.length <= 2_000 ? url : []
    } catch {
      return []
    }
  })
}
