import { addressFault, checkedUrl, isAllowed, literalAddress, Unfetchable } from './address.ts'
import { unpacked } from './inflate.ts'
import type { Exchanged, Transport } from './transport.ts'

export interface Limits {
  allowedHosts: readonly string[]
  maxBytes: number
  timeoutMs: number
  /** Between two requests to a host. */
  delayMs: number
  userAgent: string
}

export interface Wanted {
  /** Of the last time: the server says 304 where nothing changed since. */
  etag?: string | null
  lastModified?: string | null
  signal: AbortSignal
  /** Between two requests to this host, where it asks for more. */
  delayMs?: number
}

export interface Fetched extends Exchanged {
  /** Where it was in the end. */
  url: URL
}

export type Fetcher = (url: URL, wanted: Wanted) => Promise<Fetched>

const mostRedirects = 5
const tries = 3
const longestPause = 60_000

/** Fetches as a good guest does: slowly, with patience, and only where it may. */
export function makeFetcher(transport: Transport, limits: Limits): Fetcher {
  const turn = makeTurns()

  /** The address to connect to. Every one of a name is looked at: the resolver may mix them. */
  async function addressOf(url: URL): Promise<string> {
    const literal = literalAddress(url)
    const addresses = literal ? [literal] : await transport.resolve(url.hostname)
    const [first] = addresses
    if (first === undefined) throw new Unfetchable(`There is no host ${url.hostname}.`)
    if (isAllowed(url, limits.allowedHosts)) return first
    for (const address of addresses) {
      const fault = addressFault(address)
      if (fault) throw new Unfetchable(`${url.hostname} is not on the public Internet (${fault}).`)
    }
    return first
  }

  async function once(url: URL, wanted: Wanted): Promise<Fetched> {
    const { signal } = wanted
    let at = url
    for (let redirects = 0; ; redirects++) {
      const address = await addressOf(at)
      await turn(at.host, Math.max(limits.delayMs, wanted.delayMs ?? 0), signal)
      const timeout = AbortSignal.timeout(limits.timeoutMs)
      const answer = await transport
        .exchange({
          url: at,
          address,
          headers: headersFor(wanted, limits.userAgent),
          maxBytes: limits.maxBytes,
          signal: AbortSignal.any([signal, timeout]),
        })
        .catch((thrown) => {
          signal.throwIfAborted()
          if (timeout.aborted) throw new Unfetchable(`${at.host} took too long.`, 1_000)
          throw thrown
        })
      const location = answer.headers.get('location')
      if (![301, 302, 303, 307, 308].includes(answer.status) || location === null) {
        const encoding = answer.headers.get('content-encoding')
        return { ...answer, url: at, body: await unpacked(answer.body, encoding, limits.maxBytes) }
      }
      if (redirects === mostRedirects) throw new Unfetchable('Redirected too often.')
      at = checkedUrl(location, at)
    }
  }

  return async (url, wanted) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return answered(await once(url, wanted))
      } catch (thrown) {
        const after = thrown instanceof Unfetchable ? thrown.retryAfterMs : undefined
        if (after === undefined || attempt === tries) throw thrown
        await pause(Math.min(after * 2 ** (attempt - 1), longestPause), wanted.signal)
      }
    }
  }
}

const headersFor = ({ etag, lastModified }: Wanted, userAgent: string) => ({
  'user-agent': userAgent,
  accept: 'text/html, application/xhtml+xml, application/xml;q=0.9, text/plain;q=0.9, */*;q=0.1',
  'accept-encoding': 'gzip, deflate',
  ...(etag && { 'if-none-match': etag }),
  ...(lastModified && { 'if-modified-since': lastModified }),
})

/** An answer that may be another one later is no answer yet. */
function answered(fetched: Fetched): Fetched {
  const { status, headers } = fetched
  if (status === 429 || status >= 500) {
    throw new Unfetchable(`The server answered ${status}.`, retryAfter(headers) ?? 1_000)
  }
  return fetched
}

/** Seconds or a date. */
function retryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after')?.trim()
  if (!text) return undefined
  const ms = /^\d{1,6}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), longestPause)
}

/** One request to a host at a time, and a pause between two. */
function makeTurns() {
  const free = new Map<string, number>()
  return async (host: string, delayMs: number, signal: AbortSignal) => {
    const at = Math.max(Date.now(), free.get(host) ?? 0)
    free.set(host, at + delayMs)
    if (free.size > 1_000)
      for (const [name, until] of free) if (until < Date.now()) free.delete(name)
    await pause(at - Date.now(), signal)
  }
}

/** Ends early when the signal says so. */
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
