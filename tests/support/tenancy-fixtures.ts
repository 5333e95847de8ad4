import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Service } from '../../services/_kit/service.ts'
import aiEngine from '../../services/ai-engine/service.ts'
import collector from '../../services/collector/service.ts'
import consultations from '../../services/consultations/service.ts'
import files from '../../services/files/service.ts'
import knowledge from '../../services/knowledge/service.ts'
import matter from '../../services/matter/service.ts'
import memory from '../../services/memory/service.ts'
import platform from '../../services/platform/service.ts'
import { stageEngine, story } from './engine.ts'
import { type Stage, stage } from './stage.ts'

/** Marks the content of the owner's records. */
export const secret = 'only-for-the-owners-eyes'
/** Marks records of the system. */
export const systemMark = 'the-law-of-the-land'
/** Organization and user that own the records. */
export const owner = {
  'x-organization-id': 'acme',
  'x-user-id': 'owner-7',
  'x-user-type': 'client',
}

const kb = '0190b8f4-0000-7000-8000-000000000000'
const fileId = '0190b8f4-0000-7000-8000-000000000001'

export interface TenancyFixture {
  service: Service
  open(): Promise<Stage>
  /** Creates a record of every kind and returns their ids, by the names of parameters and members. */
  fill(at: Stage): Promise<Record<string, unknown>>
  /** Creates records of the system, marked with `systemMark`, and returns their ids. */
  fillSystem?: TenancyFixture['fill'] | undefined
}

const fixture = (
  service: Service,
  fill: TenancyFixture['fill'],
  options: Partial<Pick<TenancyFixture, 'open' | 'fillSystem'>> = {},
): TenancyFixture => ({ service, fill, open: () => stage(service), ...options })

async function fillSystemBase({ call, sql }: Stage) {
  const document = { document_id: 'sd', doc_type: 'statute', title: systemMark }
  await call('POST', '/api/v1/internal/seed/system-kb-documents/import', {
    body: {
      kb: { name: 'sys_law' },
      documents: [{ ...document, content: `第一条 ${systemMark}` }],
    },
  })
  const [base] = await sql`select id from knowledge.bases where name = 'sys_law'`
  return { id: base!.id, kb_id: base!.id, kb_ids: [base!.id], document_id: 'sd' }
}

/** One fixture for each service. */
export const fixtures: TenancyFixture[] = [
  fixture(memory, async ({ call }) => {
    const path = '/api/v1/internal/memory/facts'
    const fact = {
      user_id: 'owner-7',
      scope: 'case',
      case_id: 'c',
      entity_key: 'k',
      category: 'summary',
    }
    const { data } = await call('POST', path, { body: { ...fact, content: secret } })
    await call('POST', path, { body: { ...fact, content: `${secret} again` } })
    return { factId: data.id, userId: 'owner-7', user_id: 'owner-7', case_id: 'c', entity_key: 'k' }
  }),

  fixture(consultations, async ({ call }) => {
    const path = '/api/v1/consultations/sessions'
    const { data } = await call('POST', path, { body: { title: secret }, headers: owner })
    await call('POST', `/api/v1/internal/sessions/${data.id}/messages/assistant`, {
      body: { content: secret },
    })
    return { id: data.id, sessionId: data.id, user_id: 'owner-7' }
  }),

  fixture(matter, async ({ call }) => {
    const path = '/api/v1/matters'
    const { data } = await call('POST', path, { body: { title: secret }, headers: owner })
    const sync = {
      todos: [{ todo_key: 'todo', title: secret }],
      deliverables: [{ deliverable_key: 'deliverable', title: secret }],
      facts: [{ entity_key: 'fact', content: secret }],
    }
    await call('POST', `/api/v1/internal/matters/${data.id}/sync/all`, { body: sync })
    await call('POST', `/api/v1/internal/matters/${data.id}/analysis/versions/allocate`)
    const session = { session_id: 's-1', user_id: 'owner-7', title: secret }
    await call('POST', '/api/v1/internal/matters/from-consultation', { body: session })
    const keys = { todo: 'todo', todo_key: 'todo', deliverableKey: 'deliverable' }
    return { id: data.id, matter_id: data.id, ...keys, session_id: 's-1', version: 1 }
  }),

  fixture(
    knowledge,
    async ({ call, sql }) => {
      await sql`
      insert into knowledge.bases (id, organization_id, name) values (${kb}, 'acme', ${secret})`
      const metadata = { owner: 'acme' }
      const chunks = [{ chunk_index: 0, section_id: 's', content: `第一条 ${secret}`, metadata }]
      const head = { kb_id: kb, document_id: 'd', file_id: 'f', doc_type: 'statute' }
      await call('POST', '/api/v1/internal/atomic/batch-upsert', {
        body: { documents: [{ ...head, title: 'Secret Law', metadata, chunks }] },
      })
      await sql`
      insert into knowledge.files (base, file_id, title, doc_type, metadata, status)
      select no, 'f', ${secret}, 'statute', '{"owner": "acme"}', 'INDEXED' from knowledge.bases`
      const { data } = await call('POST', '/api/v1/internal/search/reindex-by-file', {
        body: { kb_id: kb, file_id: 'f' },
      })
      const document = { document_id: 'd', section_id: 's' }
      return { id: kb, kb_id: kb, kb_ids: [kb], fileId: 'f', ...document, job_id: data.job_id }
    },
    { fillSystem: fillSystemBase },
  ),

  fixture(collector, async ({ call }) => {
    const path = '/internal/collector/sources'
    const { data } = await call('POST', path, { body: { name: secret, kind: 'upload' } })
    const body = { title: secret, content: secret }
    const document = await call('POST', `${path}/${data.id}/documents`, { body })
    const site = { name: secret, kind: 'http', url: 'http://example.org/' }
    const { data: other } = await call('POST', path, { body: site })
    const { data: run } = await call('POST', `${path}/${other.id}/runs`)
    return { source_id: data.id, run_id: run.id, document_id: document.data.id }
  }),

  fixture(platform, async ({ call, sql }) => {
    const entries = [{ actor: 'owner-7', action: 'a', resource: secret, details: {} }]
    await call('POST', '/api/v1/internal/platform/audit-logs', { body: { entries } })
    const headers = { ...owner, 'x-permissions': 'platform:manage' }
    const body = { reason: secret }
    await call('PUT', '/api/v1/legal-holds/m-1', { headers, body })
    const erasure = '0190b8f4-0000-7000-8000-000000000002'
    await sql`
        insert into platform.erasures
          (id, organization_id, user_id, dry_run, status, requested_by)
        values (${erasure}, 'acme', 'owner-7', false, 'SUCCEEDED', 'owner-7')`
    return { matter_id: 'm-1', job_id: erasure, user_id: 'owner-7' }
  }),

  fixture(
    files,
    async ({ sql }) => {
      await sql`
        insert into files.files (file_id, organization_id, owner, visibility, filename,
          content_type, size, sha256, storage_key)
        values (${fileId}, 'acme', 'owner-7', 'private', ${secret}, 'text/plain', 1, 'x', 'k')`
      const upload = '0190b8f4-0000-7000-8000-000000000003'
      await sql`
        insert into files.uploads (file_id, organization_id, owner, declared, expires_at)
        values (${upload}, 'acme', 'owner-7', '{}', now() + interval '1 day')`
      return { fileId, file_ids: [fileId], user_id: 'owner-7', userId: 'owner-7' }
    },
    {
      open: () =>
        stage(files, { env: { FILES_DIR: mkdtempSync(join(tmpdir(), 'legal-suite-tenancy-')) } }),
    },
  ),

  fixture(
    aiEngine,
    async ({ call }) => {
      const body = {
        session_id: 's-1',
        user_id: 'owner-7',
        matter_id: 'm-1',
        message: `${story} ${secret}`,
      }
      const { data } = await call('POST', '/api/v1/internal/ai/agent/execute', { body })
      const { thread_id, run_id, card } = data
      const ids = { thread_id, threadId: thread_id, run_id, runId: run_id, session_id: 's-1' }
      return {
        ...ids,
        card_id: card.card_id,
        cardId: card.card_id,
        matter_id: 'm-1',
        user_id: 'owner-7',
      }
    },
    { open: async () => (await stageEngine()) as unknown as Stage },
  ),
]
