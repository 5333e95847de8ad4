import consultations from '../../services/consultations/service.ts'
import { makePeer } from './matter.ts'
import { scriptedEngine } from './scripted-engine.ts'
import { type Options, stage } from './stage.ts'

export const sessionsPath = '/api/v1/consultations/sessions'
export const internalPath = '/api/v1/internal/sessions'

export interface StreamEvent {
  id: string
  event: string
  data: any
}

/** Parses the events of an SSE stream; skips comments. */
export const parseEvents = (text: string): StreamEvent[] =>
  text
    .split('\n\n')
    .filter((block) => block !== '' && !block.startsWith(':'))
    .map((block) => {
      const [, id, event, data] = /^id: (.*)\nevent: (.*)\ndata: (.*)$/.exec(block) ?? []
      if (data === undefined) throw new Error(`not an event: ${block}`)
      return { id: id!, event: event!, data: JSON.parse(data) }
    })

/** Reads a stream until its text contains `expected`. Then cancels it, unless `cancel` is false. */
export async function readUntil(
  response: Response,
  expected: string,
  cancel = true,
): Promise<string> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.includes(expected)) {
    const { done, value } = await reader.read()
    if (done) break
    text += value
  }
  if (cancel) await reader.cancel()
  return text.slice(0, text.lastIndexOf('\n\n') + 2)
}

/** Stub of matter-service: creates one matter per session and records requests. */
export function makeMatterPeer() {
  const matterIds = new Map<string, string>()
  const matter = makePeer(({ path, body }) => {
    if (path.endsWith('/from-consultation')) {
      const { session_id } = body
      const created = !matterIds.has(session_id)
      matterIds.set(session_id, matterIds.get(session_id) ?? `m-${matterIds.size + 1}`)
      return { matter_id: matterIds.get(session_id), status: 'DRAFT', created }
    }
    if (path.endsWith('/workflow/profile')) {
      const profile = { goal: 'x', deep: [{ playbook_config: { a: 1 }, kept: true }] }
      return { matter_id: 'm', status: 'DRAFT', profile, todos: [], secret: 1, playbook_config: {} }
    }
    return { id: 'm', title: 'A matter', data: { playbook_config: 1, kept: 2 } }
  })
  return { ...matter, matterIds }
}

/** Stub of files-service: ids that start with `other` belong to another person. */
export const makeFilePeer = () =>
  makePeer(({ path }) => {
    const [, id] = /files\/([^/]+)/.exec(path)!
    return id!.startsWith('other')
      ? undefined
      : { fileId: id, filename: `${id}.pdf`, parseStatus: 'PENDING' }
  })

/** Stages consultations-service with stubs of ai-engine, matter-service and files-service. */
export async function stageConsultations(options: Options = {}) {
  const engine = scriptedEngine()
  const matter = makeMatterPeer()
  const files = makeFilePeer()
  const at = await stage(consultations, {
    ...options,
    headers: { 'x-user-id': 'u-1', 'x-user-type': 'client', ...options.headers },
    peers: {
      'ai-engine': engine.peer,
      'matter-service': matter.peer,
      'files-service': files.peer,
      ...options.peers,
    },
  })
  const post = (path: string, body: unknown = {}, headers = {}) =>
    at.call('POST', path, { body, headers })
  const read = async (path: string) => (await at.call('GET', path)).data
  const open = async (body: object = {}) => (await post(sessionsPath, body)).data
  /** Sends a request and returns the unread response. */
  const raw = (method: string, path: string, body?: unknown, headers = {}) =>
    at.fetch(
      new Request(`http://test${path}`, {
        method,
        headers: {
          'x-user-id': 'u-1',
          'x-organization-id': 'acme',
          'content-type': 'application/json',
          ...headers,
        },
        body: body === undefined ? null : JSON.stringify(body),
      }),
    )
  return {
    ...at,
    engine,
    matter,
    files,
    post,
    read,
    open,
    raw,
    chat: (id: string, content: string, more: object = {}) =>
      post(`${sessionsPath}/${id}/chat`, { content, ...more }),
    resume: (id: string, answers: unknown[], more: object = {}) =>
      post(`${sessionsPath}/${id}/resume`, { user_response: { answers }, ...more }),
    messages: async (id: string) => (await read(`${sessionsPath}/${id}/messages?size=200`)).items,
  }
}

export type ConsultationsStage = Awaited<ReturnType<typeof stageConsultations>>
