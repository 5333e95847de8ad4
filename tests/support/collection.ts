import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'vitest'
import { stageCollector } from './collector.ts'

const api = '/api/v1/collector'
const managerHeaders = {
  'x-internal-api-key': undefined,
  'x-user-id': 'u',
  'x-permissions': 'collector:manage',
} as unknown as Record<string, string>

type Page = string | ((request: IncomingMessage, response: ServerResponse) => void)

/** Stages collector-service with a site on loopback that it may collect. */
export async function stageCollection(variables: Record<string, string> = {}) {
  const pages: Record<string, Page> = {}
  const requestedPaths: string[] = []
  const server = createServer((request, response) => {
    requestedPaths.push(request.url!)
    const page = pages[request.url!]
    if (typeof page === 'function') page(request, response)
    else if (page === undefined) response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const site = `http://127.0.0.1:${port}`
  const at = await stageCollector({
    env: {
      COLLECTOR_ALLOWED_HOSTS: `127.0.0.1:${port}`,
      COLLECTOR_HOST_DELAY_MS: '1',
      ...variables,
    },
    headers: managerHeaders,
  })
  const call = (method: string, path: string, body?: unknown, headers = {}) =>
    at.call(method, `${api}${path}`, { ...(body === undefined ? {} : { body }), headers })
  return {
    ...at,
    site,
    pages,
    requestedPaths: requestedPaths,
    call,
    /** Calls any path, without the prefix. */
    request: at.call,
    /** Removes all pages. robots.txt is the same in every test because the service caches it. */
    reset() {
      for (const path of Object.keys(pages)) delete pages[path]
      pages['/robots.txt'] = 'User-agent: *\nDisallow: /a/secret'
      requestedPaths.length = 0
    },
    createSource: async (body: object = {}) =>
      (await call('POST', '/sources', { name: 'S', kind: 'http', url: `${site}/`, ...body })).data,
    /** Starts a run of a source and completes it. */
    async collect(id: string) {
      const { status, data } = await call('POST', `/sources/${id}/runs`)
      expect([status, data.status]).toEqual([202, 'PENDING'])
      await at.tick()
      return (await call('GET', `/runs/${data.id}`)).data
    },
    documents: async (id: string) =>
      (await call('GET', `/documents?source_id=${id}&size=200`)).data.items,
    async close() {
      server.closeAllConnections()
      server.close()
      await at.close()
    },
  }
}

export type CollectionStage = Awaited<ReturnType<typeof stageCollection>>
