import { afterAll, beforeAll, expect, test } from 'vitest'
import { answersTo, type EngineStage, stageEngine, story } from '../../tests/support/engine.ts'
import { makePeer } from '../../tests/support/matter.ts'
import { respondWithFile, seedResponses } from '../../tests/support/seed-causes.ts'
import { testProject } from '../../tests/support/stage.ts'
import type { Peer } from '../_kit/peer.ts'

interface Upload {
  filename: string
  start: string
}
const uploads: Upload[] = []
const parsedFiles = makePeer(({ path }) => respondWithFile({}, path)).peer

/** files-service that takes uploads. */
const files: Peer = async (request) => {
  if (!request.url.endsWith('/files/upload')) return parsedFiles(request)
  const file = (await request.formData()).get('file') as File
  const bytes = new Uint8Array(await file.arrayBuffer())
  uploads.push({ filename: file.name, start: new TextDecoder().decode(bytes.slice(0, 4)) })
  return Response.json({ code: 0, message: 'ok', data: { fileId: `file-${uploads.length}` } })
}

/** matter-service that takes every sync and analysis. */
const matters = makePeer(({ path }) => {
  if (path.endsWith('/sync/all')) return { matter_id: 'm', version: 2, applied: true, changed: {} }
  if (/\/(?:allocate|submit[a-z-]*)$/.test(path)) return { version: 1, stored: 1 }
  return { matter_id: 'm', status: 'DRAFT', profile: {}, phases: [], todos: [], file_ids: [] }
})

let at: EngineStage
beforeAll(async () => {
  const knowledge = seedResponses()
  at = await stageEngine({
    peers: {
      'knowledge-service': makePeer(({ path, body }) => knowledge(path, body)).peer,
      'files-service': files,
      'matter-service': matters.peer,
    },
  })
})
afterAll(() => at.close())

test('documents are delivered as DOCX on every runtime, and as PDF where there is a file system', async () => {
  const thread_id = 'documents'
  const start = { thread_id, user_id: 1, matter_id: 'm', message: story }
  let { data } = await at.post('/agent/execute', start)
  for (let cards = 0; data.status === 'interrupted' && cards < 10; cards++)
    data = (await at.post('/agent/resume', { thread_id, user_response: answersTo(data.card) })).data
  expect(data).toMatchObject({ status: 'completed', output: expect.stringContaining('已交付') })
  const listStarts = (extension: string) =>
    uploads.filter(({ filename }) => filename.endsWith(extension)).map((each) => each.start)
  const deliver = async () => {
    await at.tick()
    return listStarts('.docx').length
  }
  await expect.poll(deliver).toBeGreaterThanOrEqual(3)
  const count = listStarts('.docx').length
  expect(listStarts('.docx')).toEqual(Array(count).fill('PK\u0003\u0004'))
  const hasFonts = testProject !== 'workerd'
  await expect.poll(() => listStarts('.pdf').length).toBe(hasFonts ? count : 0)
  expect(listStarts('.pdf')).toEqual(Array(hasFonts ? count : 0).fill('%PDF'))
})
