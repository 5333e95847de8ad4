import { makeStore, useStore } from './store.ts'

export interface Place {
  path: string
  query: URLSearchParams
}

const readPlace = (): Place => ({
  path: location.pathname,
  query: new URLSearchParams(location.search),
})

/** Path and query of the current page. */
export const place = makeStore<Place>(readPlace())
export const usePlace = () => useStore(place)

export function navigate(target: string, { replace = false } = {}) {
  if (replace) history.replaceState(null, '', target)
  else history.pushState(null, '', target)
  place.set(readPlace())
}

/** Follows links of the console without loading a document, and the buttons of the browser. */
export function startRouter(isPage: (path: string) => boolean) {
  addEventListener('popstate', () => place.set(readPlace()))
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    const link = (event.target as Element).closest('a')
    if (!link?.href || link.target || link.hasAttribute('download')) return
    const url = new URL(link.href)
    if (url.origin !== location.origin || !isPage(url.pathname)) return
    // A link to a part of this page.
    if (url.hash && url.pathname === location.pathname) return
    event.preventDefault()
    if (url.href !== location.href) navigate(url.pathname + url.search)
  })
}

/** Matches `/matters/:id` and returns the parameters, or undefined. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const expected = pattern.split('/')
  const actual = path.replace(/(.)\/$/, '$1').split('/')
  if (expected.length !== actual.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, part] of expected.entries()) {
    const value = actual[index]!
    if (!part.startsWith(':')) {
      if (part !== value) return undefined
      continue
    }
    const decoded = decode(value)
    if (decoded === undefined) return undefined
    params[part.slice(1)] = decoded
  }
  return params
}

/** Undefined for a text that no browser encodes, such as `%zz`. */
function decode(value: string): string | undefined {
  try {
    return decodeURIComponent(value)
  } catch {
    return undefined
  }
}
