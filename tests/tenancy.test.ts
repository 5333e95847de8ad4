import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import collector from '../services/collector/service.ts'
import consultations from '../services/consultations/service.ts'
import knowledge from '../services/knowledge/service.ts'
import memory from '../services/memory/service.ts'
import { type Stage, stage } from './support/stage.ts'

const secret = 'only-for-the-owners-eyes'
const kb = '0190b8f4-0000-7000-8000-000000000000'

/** Fixtures: each service with one record of every tenant resource, and the ids. */
const fixtures = [
  {
    service: memory,
    async fill({ call }: Stage) {
      const path = '/api/v1/internal/memory/facts'
      const fact = {
        user_id: 'u',
        scope: 'case',
        case_id: 'c',
        entity_key: 'k',
        category: 'summary',
      }
      const { data } = await call('POST', path, { body: { ...fact, content: secret } })
      await call('POST', path, { body: { ...fact, content: `${secret} again` } })
      return { factId: data.id as string, userId: 'u' }
    },
    /** Request body of the other organization, for every endpoint with a body. */
    body: {
      user_id: 'u',
      scope: 'case',
      case_id: 'c',
      query: secret,
      facts: [],
      content: 'theirs',
    },
  },
  {
    service: consultations,
    async fill({ call }: Stage) {
      const path = '/api/v1/consultations/sessions'
      const headers = { 'x-user-id': 'u', 'x-user-type': 'lawyer' }
      const { data } = await call('POST', path, { body: { title: secret }, headers })
      const { id } = data as { id: string }
      await call('POST', `/api/v1/internal/sessions/${id}/messages/assistant`, {
        body: { content: secret },
      })
      return { id, sessionId: id }
    },
    body: {
      title: 'theirs',
      content: 'theirs',
      user_id: 'u',
      user_response: { answers: [{ field_key: 'a.b', value: 'theirs' }] },
    },
  },
  {
    service: knowledge,
    async fill({ call, sql }: Stage) {
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
      return { id: kb, fileId: 'f', job_id: data.job_id as string }
    },
    body: {
      name: 'theirs',
      ...{ kb_id: kb, kb_ids: [kb], document_id: 'd', section_id: 's' },
      ...{ file_id: kb, query: secret, text: '《Secret Law》第一条', profiles: [] },
      kb: { name: 'sys_theirs' },
      documents: [
        { kb_id: kb, document_id: 'd', doc_type: 'statute', title: 'theirs', chunks: [] },
      ],
    },
  },
  {
    service: collector,
    async fill({ call }: Stage) {
      const path = '/internal/collector/sources'
      const { data } = await call('POST', path, { body: { name: secret, kind: 'upload' } })
      const { id } = data as { id: string }
      const body = { title: secret, content: secret }
      const document = await call('POST', `${path}/${id}/documents`, { body })
      const site = { name: secret, kind: 'http', url: 'http://example.org/' }
      const { data: other } = await call('POST', path, { body: site })
      const { data: run } = await call('POST', `${path}/${other.id}/runs`)
      return { source_id: id, run_id: run.id, document_id: document.data.id }
    },
    body: {
      name: 'theirs',
      kind: 'upload',
      title: 'theirs',
      content: 'theirs',
      package_ids: ['p'],
    },
  },
]

describe.each(fixtures)('$service.name', ({ service, fill, body }) => {
  let at: Stage
  let ids: Record<string, string>
  beforeAll(async () => {
    at = await stage(service)
    ids = await fill(at)
  })
  afterAll(() => at.close())

  const otherOrganization = {
    'x-organization-id': 'somebody-else',
    'x-user-id': 'u',
    'x-user-type': 'lawyer',
    'x-permissions': 'collector:manage',
  }

  test.each(service.endpoints.map((each) => [`${each.method} ${each.path}`, each] as const))(
    'another organization reads and changes nothing with %s',
    async (_, { method, path, spec }) => {
      const before = await readAllRows(at, service.schema)
      const url = path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? 'x')
      const call = { headers: otherOrganization, ...(spec.body ? { body } : {}) }
      const answer = await at.call(method.toUpperCase(), url, call)
      expect(answer.text).not.toContain(secret)
      expect(answer.status).toBeLessThan(500)
      expect(await readAllRows(at, service.schema)).toEqual(before)
    },
  )
})

/** All rows that contain the owner's organization id, as text. */
async function readAllRows({ sql }: Stage, schema: string): Promise<string[]> {
  const rows = await sql`select query_to_xml(
      format('select * from %I.%I t where t::text like ''%%acme%%'' order by t::text', table_schema, table_name),
      true, true, '')::text as content
    from information_schema.tables where table_schema = ${schema} and table_type = 'BASE TABLE' order by table_name`
  return rows.map(({ content }) => String(content))
}
