import type { Peer } from '../../services/_kit/peer.ts'
import matter from '../../services/matter/service.ts'
import { type Options, stage } from './stage.ts'

export const path = '/api/v1/matters'
export const internal = '/api/v1/internal/matters'

/** Starts matter-service for a test, with helpers for common requests. */
export async function stageMatter(options: Options = {}) {
  const at = await stage(matter, {
    ...options,
    headers: { 'x-user-id': 'u-1', 'x-user-type': 'lawyer', ...options.headers },
  })
  const post = (
    path: string,
    body: unknown = {},
    headers: Record<string, string | undefined> = {},
  ) => at.call('POST', path, { body, headers })
  const read = async (path: string) => (await at.call('GET', path)).data
  return {
    ...at,
    post,
    read,
    createMatter: async (body: object = {}) =>
      (await post(path, { title: 'Loan to Li', ...body })).data,
    matter: (id: string) => read(`${path}/${id}`),
    sync: (id: string, body: object) => post(`${internal}/${id}/sync/all`, body),
    timeline: (id: string) => read(`${path}/${id}/timeline`),
    todos: async (id: string) => (await read(`${path}/${id}/todos?size=200`)).items,
  }
}

export type MatterStage = Awaited<ReturnType<typeof stageMatter>>

export interface RecordedRequest {
  path: string
  headers: Headers
  body: any
}

/** Stub service that records requests and returns the data of `respond`, or 404 for undefined. */
export function makePeer(respond: (request: RecordedRequest) => unknown) {
  const requests: RecordedRequest[] = []
  const state = { down: false }
  const peer: Peer = async (request) => {
    const text = await request.text()
    const { pathname } = new URL(request.url)
    const recorded = {
      path: pathname,
      headers: request.headers,
      body: text ? JSON.parse(text) : null,
    }
    requests.push(recorded)
    if (state.down)
      return Response.json({ code: 'INTERNAL', message: 'Down.', data: null }, { status: 500 })
    const data = respond(recorded)
    return data === undefined
      ? Response.json({ code: 'NOT_FOUND', message: 'Not here.', data: null }, { status: 404 })
      : Response.json({ code: 0, message: 'ok', data })
  }
  return { peer, requests, state }
}
