import * as z from 'zod'
import { sha256Hex } from '../../_kit/hash.ts'
import type { ServiceContext } from '../../_kit/service.ts'
import type { Deps } from '../deps.ts'
import { FetchError } from '../fetch/address.ts'
import { decodePage } from '../fetch/charset.ts'
import type { FetchResult } from '../fetch/fetcher.ts'
import { parsePage } from '../fetch/page.ts'
import { maxTextLength } from './document.ts'
import type { Source } from './source.ts'

/** What became of an address. */
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
      /** Where the page was in the end, which its links start from. */
      at: URL
    }

const CacheValidators = z.object({
  etag: z.string().nullable(),
  last_modified: z.string().nullable(),
})

/** Fetches one page, if it may, and reads it. What a server does wrong is an outcome, not a failure. */
export async function visit(
  { sql, collection }: ServiceContext<Deps>,
  source: Source,
  url: URL,
  signal: AbortSignal,
): Promise<VisitResult> {
  const { fetcher, robots } = await collection!.tools()
  try {
    const rules = await robots(url, signal)
    if (!rules.allows(url)) return { skipped: true, problem: 'robots.txt does not allow it.' }
    // One that failed the last time is asked for whole.
    const validators = await sql.row(CacheValidators)`
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

async function readPage({ status, headers, body, url }: FetchResult): Promise<VisitResult> {
  if (status !== 200) return { problem: `The server answered ${status}.` }
  const type = headers.get('content-type')
  const kind = (type ?? 'text/html').split(';')[0]!.trim().toLowerCase()
  const isHtml = kind === 'text/html' || kind === 'application/xhtml+xml'
  if (!isHtml && kind !== 'text/plain' && kind !== 'text/markdown') {
    return { problem: `Pages of type ${kind.slice(0, 100)} are not read.` }
  }
  const source = decodePage(body, type).replaceAll('\0', '')
  const page = isHtml ? parsePage(source) : { title: '', text: source.trim(), links: [] }
  const text = page.text.slice(0, maxTextLength).toWellFormed()
  if (text === '') return { problem: 'There is no text in it.' }
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
