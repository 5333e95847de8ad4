import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type ConsultationsStage,
  internalPath,
  stageConsultations,
} from '../../tests/support/consultations.ts'
import { makePeer } from '../../tests/support/matter.ts'

let deleted = false
const files = makePeer(({ path }) => {
  const [, id] = /files\/([^/]+)/.exec(path)!
  if (path.endsWith('/text')) return { text: '借条'.repeat(500), pages: 1 }
  if (id === 'gone' && deleted) return undefined
  const parseStatus = id === 'read' ? 'SUCCEEDED' : 'PENDING'
  return { fileId: id, filename: `${id}.pdf`, parseStatus }
})
const memory = makePeer(() => ({ user_id: 'u-1', profile: [], playbook_config: 1 }))

let at: ConsultationsStage
beforeAll(async () => {
  const peers = { 'files-service': files.peer, 'memory-service': memory.peer }
  at = await stageConsultations({ peers })
})
afterAll(() => at.close())

const context = (id: string) => at.read(`${internalPath}/${id}/intake-context`)

test('intake context returns session, matter, messages, files and memory', async () => {
  const { id } = await at.open({ file_ids: ['read', 'gone'] })
  await at.chat(id, 'hello', { file_ids: ['new'] })
  deleted = true
  const intakeContext = await context(id)
  expect(intakeContext).toMatchObject({
    session: { id },
    matter: { title: 'A matter', data: { kept: 2 } },
    messages: [{ role: 'USER' }, { role: 'ASSISTANT' }],
    memory: { user_id: 'u-1', profile: [] },
    missing: [],
  })
  expect(JSON.stringify(intakeContext)).not.toContain('playbook_config')
  expect(intakeContext.files).toEqual([
    { fileId: 'read', name: 'read.pdf', parseStatus: 'SUCCEEDED', excerpt: '借条'.repeat(250) },
    { fileId: 'new', name: 'new.pdf', parseStatus: 'PENDING', excerpt: null },
  ])
})

test('unavailable parts are null and listed in missing', async () => {
  const { id } = await at.open({ file_ids: ['read'] })
  files.state.down = true
  memory.state.down = true
  expect(await context(id)).toMatchObject({
    matter: null,
    files: null,
    memory: null,
    missing: ['matter', 'files', 'memory'],
  })
})
