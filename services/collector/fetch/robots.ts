import parseRobots from 'robots-parser'
import { Unfetchable } from './address.ts'
import type { Fetcher } from './fetcher.ts'

export interface Rules {
  allows(url: URL): boolean
  /** What the site asks for between two requests, if anything. */
  delayMs: number
}

const longestDelay = 30_000
const keptMs = 3_600_000
const nothing: Rules = { allows: () => false, delayMs: 0 }
const anything: Rules = { allows: () => true, delayMs: 0 }

/** What each site lets us fetch. A robots.txt that is not there allows all, one that fails nothing. */
export function makeRobots(fetcher: Fetcher, userAgent: string) {
  const known = new Map<string, { rules: Rules; until: number }>()
  const product = userAgent.split('/')[0]!

  return async (url: URL, signal: AbortSignal): Promise<Rules> => {
    const before = known.get(url.origin)
    if (before && before.until > Date.now()) return before.rules
    const rules = await read(new URL('/robots.txt', url), signal)
    if (known.size > 1_000) known.clear()
    known.set(url.origin, { rules, until: Date.now() + keptMs })
    return rules
  }

  async function read(at: URL, signal: AbortSignal): Promise<Rules> {
    try {
      const { status, body } = await fetcher(at, { signal })
      if (status >= 400) return anything
      const text = new TextDecoder().decode(body.subarray(0, 500 * 1024))
      const robots = parseRobots(at.href, text)
      const delay = (robots.getCrawlDelay(product) ?? 0) * 1000
      return {
        allows: (url) => robots.isAllowed(url.href, product) !== false,
        delayMs: Math.min(Math.max(delay, 0), longestDelay),
      }
    } catch (thrown) {
      if (thrown instanceof Unfetchable) return nothing
      throw thrown
    }
  }
}

export type Robots = ReturnType<typeof makeRobots>
