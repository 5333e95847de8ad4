import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Request {
  run_id: string
  package_ids: string[]
  dry_run: boolean
  force: boolean
  expect_plan_hash?: string
}

type FakeResponse = { status: number; body: unknown }

export const okResponse = (data: unknown): FakeResponse => ({
  status: 200,
  body: { code: 0, message: 'ok', data },
})
export const errorResponse = (status: number, code: string): FakeResponse => ({
  status,
  body: { code, message: `${code} it is`, data: null },
})

export const buildRun = (request: Request, status = 'succeeded', items = 1) => ({
  run_id: request.run_id,
  dry_run: request.dry_run,
  plan_hash: 'plan-1',
  status,
  packages: request.package_ids.map((package_id) => ({
    package_id,
    version: '2026-01-01',
    checksum: 'abc',
    status: status === 'succeeded' ? 'applied' : 'failed',
    items: Array.from({ length: items }, (_, index) => ({
      item_id: `item-${index}`,
      kind: 'platform.seed.tags.upsert',
      status: status === 'succeeded' ? 'applied' : 'failed',
      counts: { created: 2, updated: 1, unchanged: 3, deleted: 0 },
      error: status === 'succeeded' ? null : 'it broke',
      duration_ms: 1,
    })),
  })),
})

/**
 * A collector-service that stores runs by id, so that a repeated request gets the same response. A fault
 * replaces the response; `applied` lists the runs that were really executed.
 */
export async function startFakeCollector() {
  const runs = new Map<string, FakeResponse>()
  const requests: { request: Request; key: string | undefined }[] = []
  const faults: ((request: Request) => FakeResponse | 'hang up' | 'silence' | undefined)[] = []
  const applied: string[] = []
  const listedRuns: unknown[] = []
  let responsesToDrop = 0
  let handle = (request: Request): FakeResponse => okResponse(buildRun(request))

  const server = createServer(async (incoming, outgoing) => {
    if (incoming.method === 'GET') {
      outgoing.writeHead(200, { 'content-type': 'application/json' })
      return void outgoing.end(JSON.stringify(okResponse({ items: listedRuns }).body))
    }
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const request: Request = JSON.parse(Buffer.concat(chunks).toString())
    requests.push({ request, key: incoming.headers['x-internal-api-key'] as string | undefined })
    const faultResponse = faults.map((inject) => inject(request)).find(Boolean)
    if (faultResponse === 'silence') return
    if (faultResponse === 'hang up') return void outgoing.destroy()
    let result = faultResponse ?? runs.get(request.run_id)
    if (!result) {
      result = handle(request)
      applied.push(request.run_id)
      runs.set(request.run_id, result)
    }
    if (responsesToDrop-- > 0) return void outgoing.destroy()
    outgoing.writeHead(result.status, { 'content-type': 'application/json' })
    outgoing.end(JSON.stringify(result.body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    address: `http://127.0.0.1:${port}`,
    requests,
    applied,
    /** The runs of the list, newest first. */
    listedRuns,
    faults,
    /** Drops the next responses after their requests were handled. */
    dropResponses(count: number) {
      responsesToDrop = count
    },
    setHandler(next: typeof handle) {
      handle = next
    },
    stop() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}
