import parseRobots from 'robots-parser'
import { FetchError } from '../../_kit/outbound/address.ts'
import type { Fetcher } from './fetcher.ts'

export interface RobotsRules {
  allows(url: URL): boolean
  /** Crawl delay of the site. 0 if it sets none. */
  delayMs: number
}

const maxDelayMs = 30_000
const cacheMs = 3_600_000
const allowNone: RobotsRules = { allows: () => false, delayMs: 0 }
const allowAll: RobotsRules = { allows: () => true, delayMs: 0 }

/**
 * Loads and caches robots.txt per origin. A missing robots.txt allows everything; one that cannot be fetched
 * allows nothing.
 */
export function makeRobots(fetcher: Fetcher, userAgent: string) {
  const cache = new Map<string, { rules: RobotsRules; until: number }>()
  const product = userAgent.split('/')[0]!

  return async (url: URL, signal: AbortSignal): Promise<RobotsRules> => {
    const cached = cache.get(url.origin)
    if (cached && cached.until > Date.now()) return cached.rules
    const rules = await loadRules(new URL('/robots.txt', url), signal)
    if (cache.size > 1_000) cache.clear()
    cache.set(url.origin, { rules, until: Date.now() + cacheMs })
    return rules
  }

  async function loadRules(at: URL, signal: AbortSignal): Promise<RobotsRules> {
    try {
      const { status, body } = await fetcher(at, { signal })
      if (status >= 400) return allowAll
      const text = new TextDecoder().decode(body.subarray(0, 500 * 1024))
      const robots = parseRobots(at.href, text)
      const delay = (robots.getCrawlDelay(product) ?? 0) * 1000
      return {
        allows: (url) => robots.isAllowed(url.href, product) !== false,
        delayMs: Math.min(Math.max(delay, 0), maxDelayMs),
      }
    } catch (thrown) {
      if (thrown instanceof FetchError) return allowNone
      throw thrown
    }
  }
}

export type Robots = ReturnType<typeof makeRobots>
