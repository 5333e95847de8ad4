import { Parser } from 'htmlparser2'
import { FetchError } from './address.ts'

export interface Feed {
  /** Pages. */
  urls: string[]
  /** Further sitemaps. */
  sitemaps: string[]
}

const maxUrls = 50_000
const maxDepth = 100

/** The addresses in a sitemap, an index of sitemaps, RSS or Atom. Entities of its own are not followed. */
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
        if (depth > maxDepth) throw new FetchError('Its markup is nested too deep.')
        text = ''
        // Atom: the page is the link that says so, or says nothing.
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
