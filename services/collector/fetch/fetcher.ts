import { FetchError, parseUrl } from '../../_kit/outbound/address.ts'
import { resolvePublicAddress } from '../../_kit/outbound/resolve-address.ts'
import type { HttpResponse, Transport } from '../../_kit/outbound/transport.ts'
import { decompress } from './inflate.ts'

export interface FetchLimits {
  allowedHosts: readonly string[]
  maxBytes: number
  timeoutMs: number
  /** Minimum delay between two requests to a host. */
  delayMs: number
  userAgent: string
}

export interface FetchOptions {
  /** Validators of the last fetch, for a conditional request. */
  etag?: string | null
  lastModified?: string | null
  signal: AbortSignal
  /** Crawl delay of the host. The longer delay applies. */
  delayMs?: number
}

export interface FetchResult extends HttpResponse {
  /** Final URL after redirects. */
  url: URL
}

export type Fetcher = (url: URL, options: FetchOptions) => Promise<FetchResult>

const maxRedirects = 5
const maxAttempts = 3
const maxPauseMs = 60_000

/**
 * Makes a fetcher with per-host throttling, retries and protection against requests into private networks.
 */
export function makeFetcher(transport: Transport, limits: FetchLimits): Fetcher {
  const throttle = makeHostThrottle()

  async function fetchOnce(url: URL, options: FetchOptions): Promise<FetchResult> {
    const { signal } = options
    let at = url
    for (let redirects = 0; ; redirects++) {
      const address = await resolvePublicAddress(transport, at, limits.allowedHosts)
      await throttle(at.host, Math.max(limits.delayMs, options.delayMs ?? 0), signal)
      const timeout = AbortSignal.timeout(limits.timeoutMs)
      const response = await transport
        .exchange({
          url: at,
          address,
          headers: headersFor(options, limits.userAgent),
          maxBytes: limits.maxBytes,
          signal: AbortSignal.any([signal, timeout]),
        })
        .catch((thrown) => {
          signal.throwIfAborted()
          if (timeout.aborted) throw new FetchError(`${at.host} did not respond in time.`, 1_000)
          throw thrown
        })
      const location = response.headers.get('location')
      if (![301, 302, 303, 307, 308].includes(response.status) || location === null) {
        const encoding = response.headers.get('content-encoding')
        return {
          ...response,
          url: at,
          body: await decompress(response.body, encoding, limits.maxBytes),
        }
      }
      if (redirects === maxRedirects) throw new FetchError('Too many redirects.')
      at = parseUrl(location, at)
    }
  }

  return async (url, options) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return rejectRetryableStatus(await fetchOnce(url, options))
      } catch (thrown) {
        const after = thrown instanceof FetchError ? thrown.retryAfterMs : undefined
        if (after === undefined || attempt === maxAttempts) throw thrown
        await pause(Math.min(after * 2 ** (attempt - 1), maxPauseMs), options.signal)
      }
    }
  }
}

const headersFor = ({ etag, lastModified }: FetchOptions, userAgent: string) => ({
  'user-agent': userAgent,
  accept: 'text/html, application/xhtml+xml, application/xml;q=0.9, text/plain;q=0.9, */*;q=0.1',
  'accept-encoding': 'gzip, deflate',
  ...(etag && { 'if-none-match': etag }),
  ...(lastModified && { 'if-modified-since': lastModified }),
})

/** Turns 429 and 5xx into a retryable error. */
function rejectRetryableStatus(fetched: FetchResult): FetchResult {
  const { status, headers } = fetched
  if (status === 429 || status >= 500) {
    throw new FetchError(`The server returned HTTP ${status}.`, retryAfter(headers) ?? 1_000)
  }
  return fetched
}

/** Parses Retry-After: seconds or a date. */
function retryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after')?.trim()
  if (!text) return undefined
  const ms = /^\d{1,6}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), maxPauseMs)
}

/** Schedules requests to a host with a minimum delay between them. */
function makeHostThrottle() {
  const freeAt = new Map<string, number>()
  return async (host: string, delayMs: number, signal: AbortSignal) => {
    const at = Math.max(Date.now(), freeAt.get(host) ?? 0)
    freeAt.set(host, at + delayMs)
    if (freeAt.size > 1_000)
      for (const [name, until] of freeAt) if (until < Date.now()) freeAt.delete(name)
    await pause(at - Date.now(), signal)
  }
}

/** Waits, or rejects when the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  if (ms <= 0) return
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
  })
}
