import { Parser } from 'htmlparser2'
import { FetchError } from '../../_kit/outbound/address.ts'

export interface Feed {
  /** URLs of pages. */
  urls: string[]
  /** URLs of further sitemaps. */
  sitemaps: string[]
}

const maxUrls = 50_000
const maxDepth = 100

/**
 * Extracts the URLs of a sitemap, sitemap index, RSS or Atom feed. Custom XML entities are not expanded.
 */
export function parseFeed(xml: string): Feed {
  const urls: string[] = []
  const sitemaps: string[] = []
  const path: string[] = []
  let text = ''
  const addUrl = (list: string[], url: string | undefined) => {
    if (url && list.length < maxUrls) list.push(url.trim())
  }
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const depth = path.push(name.replace(/^.*:/, ''))
        if (depth > maxDepth) throw new FetchError('The markup is nested too deeply.')
        text = ''
        // Atom: the page is the link with rel `alternate` or without rel.
        const isEntry = path.at(-1) === 'link' && path.at(-2) === 'entry'
        if (isEntry && (attributes.rel ?? 'alternate') === 'alternate')
          addUrl(urls, attributes.href)
      },
      ontext(part) {
        if (text.length < 4_000) text += part
      },
      onclosetag() {
        const [parent, name] = path.slice(-2)
        if (name === 'loc' && parent === 'url') addUrl(urls, text)
        if (name === 'loc' && parent === 'sitemap') addUrl(sitemaps, text)
        if (name === 'link' && parent === 'item') addUrl(urls, text)
        path.pop()
        text = ''
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
  parser.end(xml)
  return { urls, sitemaps }
}
