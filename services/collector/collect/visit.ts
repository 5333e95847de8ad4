import * as z from 'zod'
import type { ServiceContext } from '../../_kit/context.ts'
import { sha256Hex } from '../../_kit/hash.ts'
import { FetchError } from '../../_kit/outbound/address.ts'
import type { Deps } from '../deps.ts'
import { decodePage } from '../fetch/charset.ts'
import type { FetchResult } from '../fetch/fetcher.ts'
import { parsePage } from '../fetch/page.ts'
import { maxTextLength } from './document.ts'
import type { Source } from './source.ts'

/** Result of visiting a URL. */
export type VisitResult =
  | { skipped: true; problem: string }
  | { unchanged: true }
  | { problem: string }
  | {
      title: string
      text: string
      sha256: string
      etag: string | null
      lastModified: string | null
      links: string[]
      /** Final URL after redirects, the base of relative links. */
      at: URL
    }

const CacheValidators = z.object({
  etag: z.string().nullable(),
  last_modified: z.string().nullable(),
})

/**
 * Fetches and parses one page if robots.txt allows it. Server errors are a result, not an exception.
 */
export async function visit(
  { sql, collection }: ServiceContext<Deps>,
  source: Source,
  url: URL,
  signal: AbortSignal,
): Promise<VisitResult> {
  const { fetcher, robots } = await collection!.tools()
  try {
    const rules = await robots(url, signal)
    if (!rules.allows(url)) return { skipped: true, problem: 'Disallowed by robots.txt.' }
    // After a failure, and where links are followed, the page is fetched unconditionally.
    const validators = followsLinks(source)
      ? undefined
      : await sql.row(CacheValidators)`
          select etag, last_modified from collector.documents
          where source_id = ${source.id} and url = ${url.href} and status <> 'FAILED'`
    const fetched = await fetcher(url, {
      signal,
      etag: validators?.etag ?? null,
      lastModified: validators?.last_modified ?? null,
      delayMs: rules.delayMs,
    })
    if (fetched.status === 304) return { unchanged: true }
    return await readPage(fetched)
  } catch (thrown) {
    if (thrown instanceof FetchError) return { problem: thrown.message }
    throw thrown
  }
}

/** Whether the pages of a source lead to further pages. A response 304 would hide their links. */
export const followsLinks = ({ kind, include }: Source) => kind === 'http' && include.length > 0

async function readPage({ status, headers, body, url }: FetchResult): Promise<VisitResult> {
  if (status !== 200) return { problem: `The server returned HTTP ${status}.` }
  const type = headers.get('content-type')
  const kind = (type ?? 'text/html').split(';')[0]!.trim().toLowerCase()
  const isHtml = kind === 'text/html' || kind === 'application/xhtml+xml'
  if (!isHtml && kind !== 'text/plain' && kind !== 'text/markdown') {
    return { problem: `Content type ${kind.slice(0, 100)} is not supported.` }
  }
  const source = decodePage(body, type).replaceAll('\0', '')
  const page = isHtml ? parsePage(source) : { title: '', text: source.trim(), links: [] }
  const text = page.text.slice(0, maxTextLength).toWellFormed()
  if (text === '') return { problem: 'The page contains no text.' }
  return {
    title: (page.title || firstLine(text)).toWellFormed(),
    text,
    sha256: await sha256Hex(text),
    etag: headers.get('etag')?.slice(0, 500) ?? null,
    lastModified: headers.get('last-modified')?.slice(0, 100) ?? null,
    links: page.links,
    at: url,
  }
}

const firstLine = (text: string) => text.slice(0, 200).split('\n')[0]!
