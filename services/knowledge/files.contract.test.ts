import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  external,
  type KnowledgeStage,
  lawyer,
  stageKnowledge,
} from '../../tests/support/knowledge.ts'

const id = (n: number) => `0190b8f4-0000-7000-8000-00000000000${n}`

interface StubFile {
  parseStatus: string
  parseError?: string
  text?: string
}

/** Stub of the files service: visibility, parse status and text of a file. */
const stub = { files: new Map<string, StubFile>(), down: false, seen: [] as string[] }

function filesService(request: Request): Response {
  const { pathname } = new URL(request.url)
  stub.seen.push(`${request.method} ${pathname}`)
  if (stub.down) return new Response('no', { status: 500 })
  const fileId = /files\/([^/]+)/.exec(pathname)![1]!
  const file = stub.files.get(fileId)
  const fault = (status: number, code: string) =>
    Response.json({ code, message: 'No.', data: null }, { status })
  const isForeign = request.headers.get('x-organization-id') !== 'acme'
  if (!file || isForeign) return fault(404, 'NOT_FOUND')
  const data = (data: object) => Response.json({ code: 0, message: 'ok', data })
  if (pathname.endsWith('/parse')) return data({ fileId, parseStatus: file.parseStatus })
  if (pathname.endsWith('/text')) return data({ text: file.text, pages: 1 })
  return data({ fileId, filename: 'loan.pdf', parseError: file.parseError ?? null })
}

let at: KnowledgeStage
beforeAll(async () => {
  at = await stageKnowledge({ peers: { 'files-service': filesService } })
})
afterAll(() => at.close())

const attach = (kb: string, file_id: string, more = {}) =>
  at.post(`${external}/bases/${kb}/files`, { file_id, ...more }, lawyer)
const job = async (job_id: string) => (await at.get(`${external}/jobs/${job_id}`)).data
const firstFile = async (kb: string) =>
  (await at.get(`${external}/bases/${kb}/files`)).data.items[0]
/** Statuses of the `job.updated` events of a job that wait for platform-service. */
const publishedStatuses = async (job_id: string) =>
  (
    await at.sql`
      select body -> 'data' ->> 'status' as status from knowledge.event_outbox
      where body ->> 'type' = 'job.updated' and body ->> 'organization_id' = 'acme'
        and body -> 'data' ->> 'job_id' = ${job_id} order by id`
  ).map(({ status }) => status)
const hurry = () => at.sql`update knowledge.jobs set run_at = now() where status = 'PENDING'`

describe('attaching a file', () => {
  test('attaching a file starts a job that waits for parsing, then chunks and indexes the text', async () => {
    const kb = await at.createBase()
    const text = '第一章 总则\n第一条 借款应当返还。\n第二条 利息由当事人约定。'
    stub.files.set(id(1), { parseStatus: 'PENDING', text })
    const started = await attach(kb, id(1), { doc_type: 'contract' })
    expect([started.status, started.data]).toEqual([
      202,
      { job_id: expect.any(String), status: 'PENDING', kb_id: kb, file_id: id(1) },
    ])
    await at.runJobs()
    expect((await job(started.data.job_id)).status).toBe('PENDING')
    stub.files.get(id(1))!.parseStatus = 'SUCCEEDED'
    await hurry()
    await at.runJobs()
    expect(await job(started.data.job_id)).toMatchObject({
      kind: 'attach',
      kb_id: kb,
      file_id: id(1),
      status: 'SUCCEEDED',
      progress: { done: 2, total: 2 },
      error: null,
    })
    expect(await publishedStatuses(started.data.job_id)).toEqual([
      'PENDING',
      'RUNNING',
      'SUCCEEDED',
    ])
    expect(await firstFile(kb)).toMatchObject({ file_id: id(1), status: 'INDEXED' })
    const { data } = await at.search([kb], '利息')
    expect(data.hits[0]).toMatchObject({
      document_id: id(1),
      title: 'loan.pdf',
      doc_type: 'contract',
      section_id: '第一章/第二条',
    })
    const page = await at.get(`${external}/jobs`)
    expect(page.data.items.map((each: any) => each.id)).toContain(started.data.job_id)
    const otherOrganization = { 'x-organization-id': 'somebody-else' }
    expect(
      (await at.get(`${external}/jobs/${started.data.job_id}`, otherOrganization)).status,
    ).toBe(404)
  })

  test('attaching a file that cannot be parsed fails with the parse error', async () => {
    const kb = await at.createBase()
    stub.files.set(id(2), { parseStatus: 'FAILED', parseError: 'It is encrypted.' })
    const { data } = await attach(kb, id(2))
    await at.runJobs()
    const error = 'The file could not be parsed: It is encrypted.'
    expect(await job(data.job_id)).toMatchObject({ status: 'FAILED', error })
    expect(await firstFile(kb)).toMatchObject({ status: 'FAILED', error })
  })

  test('attaching a file is rejected if the caller cannot see the file or is a client', async () => {
    const kb = await at.createBase()
    const unseen = await attach(kb, id(3))
    expect([unseen.status, unseen.code]).toEqual([404, 'NOT_FOUND'])
    expect((await at.get(`${external}/bases/${kb}/files`)).data.total).toBe(0)
    const client = { 'x-user-id': 'c', 'x-user-type': 'client' }
    const refused = await at.post(`${external}/bases/${kb}/files`, { file_id: id(1) }, client)
    expect(refused.status).toBe(403)
  })

  test('an attach job is retried while the files service is unavailable', async () => {
    const kb = await at.createBase()
    stub.files.set(id(4), { parseStatus: 'SUCCEEDED', text: 'Estoppel.' })
    const { data } = await attach(kb, id(4))
    stub.down = true
    await at.runJobs()
    stub.down = false
    expect((await job(data.job_id)).status).toBe('PENDING')
    await hurry()
    await at.runJobs()
    expect((await job(data.job_id)).status).toBe('SUCCEEDED')
    expect(await at.searchIds([kb], 'estoppel')).toEqual([id(4)])
  })

  test('an attach job that is DEAD is marked as FAILED', async () => {
    const kb = await at.createBase()
    stub.files.set(id(5), { parseStatus: 'SUCCEEDED', text: 'x' })
    const { data } = await attach(kb, id(5))
    await at.sql`
      update knowledge.jobs set status = 'DEAD' where payload ->> 'jobId' = ${data.job_id}`
    await at.call('POST', '/api/v1/internal/actuator/tick')
    expect(await job(data.job_id)).toMatchObject({ status: 'FAILED' })
    expect(await firstFile(kb)).toMatchObject({ status: 'FAILED' })
  })

  test('detaching a file deletes its documents', async () => {
    const kb = await at.createBase()
    stub.files.set(id(6), { parseStatus: 'SUCCEEDED', text: 'Laches.' })
    await attach(kb, id(6))
    await at.runJobs()
    const path = `${external}/bases/${kb}/files/${id(6)}`
    const gone = await at.call('DELETE', path, { headers: lawyer })
    expect(gone.data).toEqual({ documents: 1, chunks: 1 })
    expect(await at.searchIds([kb], 'laches')).toEqual([])
    expect((await at.call('DELETE', path, { headers: lawyer })).status).toBe(404)
  })
})

describe('reindexing', () => {
  const search = '/api/v1/internal/search'

  test('reindexing a file does not change search results', async () => {
    const kb = await at.createBase()
    await at.upsert(kb, [
      { document_id: 'a', file_id: 'f', chunks: ['bailment one', 'bailment two'] },
      { document_id: 'b', chunks: ['bailment three'] },
    ])
    const before = (await at.search([kb], 'bailment')).data.hits
    const started = await at.post(`${search}/reindex-by-file`, { kb_id: kb, file_id: 'f' })
    expect([started.status, started.data.status]).toEqual([202, 'PENDING'])
    await at.runJobs()
    expect(await job(started.data.job_id)).toMatchObject({
      kind: 'reindex',
      status: 'SUCCEEDED',
      progress: { done: 1, total: 1 },
    })
    const after = (await at.search([kb], 'bailment')).data.hits
    const key = (hit: any) => `${hit.document_id} ${hit.chunk_index}`
    expect(after.map(key).sort()).toEqual(before.map(key).sort())
  })

  test('reindexing a base restores lost index entries', async () => {
    const kb = await at.createBase()
    await at.upsert(kb, [{ document_id: 'a', chunks: ['novation'] }])
    await at.sql`delete from knowledge.segments`
    expect(await at.searchIds([kb], 'novation')).toEqual([])
    const { data } = await at.post(`${search}/reindex-batch`, { kb_ids: [kb] })
    await at.runJobs()
    expect((await job(data.job_id)).status).toBe('SUCCEEDED')
    expect(await at.searchIds([kb], 'novation')).toEqual(['a'])
    const unknown = await at.post(`${search}/reindex-batch`, { kb_ids: ['sys_nowhere'] })
    expect(unknown.status).toBe(404)
  })
})
