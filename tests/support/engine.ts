import engine from '../../services/ai-engine/service.ts'
import { makePeer } from './matter.ts'
import { type Options, stage } from './stage.ts'

export const ai = '/api/v1/internal/ai'
export const story = '我在2023年5月1日借给张三10万元，约定一年后归还，到期后他一直不还。'

/** Stubs of matter-service, which accepts every sync, and of an empty memory-service. */
export function makePeers() {
  const matter = makePeer(({ path }) =>
    path.endsWith('/sync/all')
      ? { matter_id: 'm', version: 2, applied: true, changed: {} }
      : { matter_id: 'm', status: 'DRAFT', profile: {}, phases: [], todos: [], file_ids: [] },
  )
  const memory = makePeer(({ path }) =>
    path.endsWith('/recall')
      ? { facts: [], reranked: false, degraded: false }
      : { user_id: 'u', profile: [], preferences: [], cases: [], summary: '' },
  )
  return { matter, memory }
}

/** Stages ai-engine with stubs of its peers. */
export async function stageEngine(options: Options = {}) {
  const peers = makePeers()
  const at = await stage(engine, {
    ...options,
    peers: {
      'matter-service': peers.matter.peer,
      'memory-service': peers.memory.peer,
      ...options.peers,
    },
  })
  const post = (path: string, body: unknown, headers = {}) =>
    at.call('POST', `${ai}${path}`, { body, headers })
  const get = (path: string, headers = {}) => at.call('GET', `${ai}${path}`, { headers })
  /** Bodies of the syncs to matter-service, in order. */
  const syncBodies = () =>
    peers.matter.requests.filter(({ path }) => path.endsWith('/sync/all')).map(({ body }) => body)
  return { ...at, ...peers, post, get, syncBodies: syncBodies }
}

export type EngineStage = Awaited<ReturnType<typeof stageEngine>>

export const parseNdjson = (text: string): { event: string; data: any }[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

/** Valid answers to all questions of a card. */
export const answersTo = (card: { questions: any[] }) => ({
  answers: card.questions.map((question) => ({
    field_key: question.field_key,
    value: validAnswer(question),
  })),
})

function validAnswer({ input_type, options }: any): unknown {
  if (input_type === 'select') return options[0].value
  if (input_type === 'multi_select') return [options[0].value]
  if (input_type === 'number' || input_type === 'money') return 100_000
  if (input_type === 'date') return '2023-05-01'
  if (input_type === 'boolean') return true
  if (input_type === 'file') return ['f-1']
  return '张三借款十万元，到期不还。'
}
