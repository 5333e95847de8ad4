import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type EngineStage, stageEngine } from '../../tests/support/engine.ts'
import { type ScriptedModel, scriptedModel } from '../../tests/support/scripted-model.ts'
import type { Peer } from '../_kit/peer.ts'

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 1, 2, 3])
const types: Record<string, string> = {
  'photo-1': 'image/png',
  'photo-2': 'image/jpeg',
  contract: 'application/pdf',
}
const requested: string[] = []
/** Files of organization `acme`. `too-large` is an image above the limit; every other file is unknown. */
const files: Peer = (request) => {
  const [, , , , , id = '', content] = new URL(request.url).pathname.split('/')
  requested.push(`${request.headers.get('x-organization-id')} ${id} ${content ?? ''}`.trim())
  const contentType = id === 'too-large' ? 'image/png' : types[id]
  if (!contentType)
    return Response.json({ code: 'NOT_FOUND', message: 'Not here.', data: null }, { status: 404 })
  if (content) return new Response(png, { headers: { 'content-type': contentType } })
  const size = id === 'too-large' ? 10_000_000 : png.length
  return Response.json({ code: 0, message: 'ok', data: { fileId: id, contentType, size } })
}

let at: EngineStage
let model: ScriptedModel
beforeAll(async () => {
  model = await scriptedModel()
  at = await stageEngine({
    env: { AI_BASE_URL: model.baseUrl, AI_MODEL: 'seeing', AI_VISION_MODELS: 'seeing, other' },
    peers: { 'files-service': files },
  })
})
afterAll(async () => {
  await at.close()
  await model.close()
})
beforeEach(() => {
  model.script({ say: '这是一张借条。' })
  requested.splice(0)
})

let sessions = 0
const ask = async (file_ids: string[], session_id = `i-${++sessions}`) => {
  const message = '什么是诉讼时效？'
  const { data } = await at.post('/agent/execute', { session_id, user_id: 'u', message, file_ids })
  expect(data).toMatchObject({ status: 'completed', output: '这是一张借条。' })
  return data
}
const imagesSent = () =>
  model.requests
    .at(-1)
    .messages.flatMap(({ content }: any) => (Array.isArray(content) ? content : []))
    .filter(({ type }: any) => type === 'image_url')
    .map(({ image_url }: any) => image_url.url)
const dataUrl = (type: string) => `data:${type};base64,${btoa(String.fromCharCode(...png))}`

test('images named in the chat are sent to a model that accepts them, other files are not', async () => {
  await ask(['contract', 'photo-1', 'unknown', 'too-large', 'photo-2'])
  expect(imagesSent()).toEqual([dataUrl('image/png'), dataUrl('image/jpeg')])
  // The images are loaded at the same time.
  expect(requested.filter((each) => each.endsWith(' content')).sort()).toEqual([
    'acme photo-1 content',
    'acme photo-2 content',
  ])
})

test('an image stays part of the conversation in the next turn', async () => {
  await ask(['photo-1'], 'next-turn')
  await ask([], 'next-turn')
  expect(imagesSent()).toEqual([dataUrl('image/png')])
})

test('a recorded request has no image bytes, and a replay reads no file', async () => {
  const { thread_id } = await ask(['photo-1'])
  const calls = await at.sql`select answer from ai_engine.calls where thread_id = ${thread_id}`
  expect(JSON.stringify(calls)).toContain('photo-1')
  expect(JSON.stringify(calls)).not.toContain(btoa(String.fromCharCode(...png)))
  requested.splice(0)
  model.script({ say: 'Something else.' })
  const points = (await at.get(`/agent/threads/${thread_id}/checkpoints`)).data.items
  const { checkpoint_id } = points.find(({ node }: any) => node === 'start')
  const replayed = await at.post('/agent/replay', { thread_id, checkpoint_id })
  expect(replayed.data.output).toBe('这是一张借条。')
  expect([requested, model.requests]).toEqual([[], []])
})

test('a model that is not declared to accept images gets none, and no file is read', async () => {
  const blind = await stageEngine({
    env: { AI_BASE_URL: model.baseUrl, AI_MODEL: 'scripted' },
    peers: { 'files-service': files },
  })
  const body = { session_id: 'b', user_id: 'u', message: '什么是诉讼时效？', file_ids: ['photo-1'] }
  expect((await blind.post('/agent/execute', body)).data.status).toBe('completed')
  expect(imagesSent()).toEqual([])
  expect(requested).toEqual([])
  await blind.close()
})
