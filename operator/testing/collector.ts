import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Request {
  run_id: string
  package_ids: string[]
  dry_run: boolean
  force: boolean
  expect_plan_hash?: string
}

type Answer = { status: number; body: unknown }

export const answer = (data: unknown): Answer => ({
  status: 200,
  body: { code: 0, message: 'ok', data },
})
export const fault = (status: number, code: string): Answer => ({
  status,
  body: { code, message: `${code} it is`, data: null },
})

export const runOf = (request: Request, status = 'succeeded', items = 1) => ({
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
 * A collector-service that keeps runs by their id: the same id again gives the same answer. A fault
 * decides about a request in its place; `applied` names what was really done.
 */
export async function startCollector() {
  const runs = new Map<string, Answer>()
  const asked: { request: Request; key: string | undefined }[] = []
  const faults: ((request: Request) => Answer | 'hang up' | undefined)[] = []
  const applied: string[] = []
  let losing = 0
  let make = (request: Request): Answer => answer(runOf(request))

  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const request: Request = JSON.parse(Buffer.concat(chunks).toString())
    asked.push({ request, key: incoming.headers['x-internal-api-key'] as string | undefined })
    const said = faults.map((say) => say(request)).find(Boolean)
    if (said === 'hang up') return void outgoing.destroy()
    let result = said ?? runs.get(request.run_id)
    if (!result) {
      result = make(request)
      applied.push(request.run_id)
      runs.set(request.run_id, result)
    }
    if (losing-- > 0) return void outgoing.destroy()
    outgoing.writeHead(result.status, { 'content-type': 'application/json' })
    outgoing.end(JSON.stringify(result.body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    address: `http://127.0.0.1:${port}`,
    asked,
    applied,
    faults,
    /** So many answers do not get there, though what was asked for is done. */
    loses(count: number) {
      losing = count
    },
    answers(next: typeof make) {
      make = next
    },
    stop() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}
