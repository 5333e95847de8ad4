import { publicUrl } from './oidc.ts'

type Fetch = (request: Request) => Response | Promise<Response>

/** A browser: keeps cookies per origin and follows redirects between the gateway and a provider. */
export function makeBrowser(gateway: Fetch) {
  const jars = new Map<string, Map<string, string>>()
  const jarOf = (origin: string) => {
    const jar = jars.get(origin) ?? new Map<string, string>()
    jars.set(origin, jar)
    return jar
  }

  async function request(url: string, init: RequestInit = {}): Promise<Response> {
    const { origin, pathname, search } = new URL(url, publicUrl)
    const jar = jarOf(origin)
    const headers = new Headers(init.headers)
    const cookies = [...jar].map(([name, value]) => `${name}=${value}`)
    if (cookies.length > 0) headers.set('cookie', cookies.join('; '))
    const sent = { ...init, headers, redirect: 'manual' as const }
    const response = await (origin === publicUrl
      ? gateway(new Request(`http://127.0.0.1${pathname}${search}`, sent))
      : fetch(`${origin}${pathname}${search}`, sent))
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      if (value === '' || /max-age=0/i.test(line)) jar.delete(name!)
      else jar.set(name!, value!)
    }
    return response
  }

  /** Follows redirects and returns the last response with all addresses. */
  async function open(path: string): Promise<{ response: Response; visited: string[] }> {
    const visited = [new URL(path, publicUrl).href]
    for (let hop = 0; hop < 20; hop++) {
      const response = await request(visited.at(-1)!)
      const location = response.headers.get('location')
      if (!location) return { response, visited }
      await response.body?.cancel()
      visited.push(new URL(location, visited.at(-1)!).href)
    }
    throw new Error(`too many redirects: ${visited.join(' ')}`)
  }

  const read = async (path: string, init?: RequestInit) => {
    const response = await request(path, init)
    const text = await response.text()
    return { status: response.status, text, ...(text.startsWith('{') ? JSON.parse(text) : {}) }
  }

  return { request, open, read, cookies: jarOf(publicUrl) }
}
