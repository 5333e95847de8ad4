import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type MatterStage, path, stageMatter } from '../../tests/support/matter.ts'

let at: MatterStage
beforeAll(async () => {
  at = await stageMatter()
})
afterAll(() => at.close())

const nowhere = '01900000-0000-7000-8000-000000000000'
const put = (id: string, body: object, headers = {}) =>
  at.call('PUT', `${path}/${id}`, { body, headers })

describe('creating a matter', () => {
  test('POST creates a draft of the caller with all fields', async () => {
    const created = await at.post(path, { title: '借款纠纷' })
    expect([created.status, created.headers.get('etag')]).toEqual([201, '"1"'])
    expect(created.data).toEqual({
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      title: '借款纠纷',
      status: 'DRAFT',
      matter_category: 'consultation',
      cause_of_action_code: null,
      service_type_id: 'legal_consultation',
      session_id: null,
      user_id: 'u-1',
      organization_id: 'acme',
      provider_organization_id: null,
      lawyer_id: null,
      firm_id: null,
      file_ids: [],
      profile: {},
      data: {},
      version: 1,
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      updated_at: expect.any(String),
    })
    expect(await at.matter(created.data.id)).toEqual(created.data)
  })

  test('POST stores every field and accepts numeric ids', async () => {
    const input = {
      matter_category: 'labor_arbitration',
      cause_of_action_code: 'wages',
      service_type_id: 4,
      user_id: 7,
      organization_id: 'acme',
      provider_organization_id: 'firm',
      lawyer_id: 8,
      firm_id: 9,
      file_ids: ['f-1', 'f-2', 'f-1'],
      profile: { amount: 1.5, gone: null },
      data: { litigation: { court: '朝阳', gone: null }, gone: null },
    }
    expect(await at.createMatter(input)).toMatchObject({
      ...input,
      service_type_id: '4',
      user_id: '7',
      lawyer_id: '8',
      firm_id: '9',
      file_ids: ['f-1', 'f-2'],
      profile: { amount: 1.5 },
      data: { litigation: { court: '朝阳' } },
    })
  })

  test('concurrent requests with one Idempotency-Key create one matter', async () => {
    const headers = { 'idempotency-key': 'one' }
    const body = { title: 'Once' }
    const created = await Promise.all([1, 2, 3, 4].map(() => at.post(path, body, headers)))
    expect(new Set(created.map(({ data }) => data.id)).size).toBe(1)
    expect(created.every(({ status }) => status === 201)).toBe(true)
    expect((await at.post(path, { title: 'Twice' }, headers)).status).toBe(409)
  })

  test('a missing title, unknown category or other organization is 400', async () => {
    const issues = async (body: object) => {
      const { status, data } = await at.post(path, { title: 'T', ...body })
      return [status, data.issues?.[0].path]
    }
    expect(await issues({ title: '' })).toEqual([400, 'title'])
    expect(await issues({ title: undefined })).toEqual([400, 'title'])
    expect(await issues({ matter_category: 'divorce' })).toEqual([400, 'matter_category'])
    expect(await issues({ file_ids: ['a', ''] })).toEqual([400, 'file_ids.1'])
    expect(await issues({ organization_id: 'other' })).toEqual([400, 'organization_id'])
    expect(await issues({ provider_organization_id: '律所' })).toEqual([
      400,
      'provider_organization_id',
    ])
  })

  test('requests without identity are 401', async () => {
    const withoutTenant = await at.post(path, { title: 'T' }, { 'x-organization-id': undefined })
    expect([withoutTenant.status, withoutTenant.code]).toEqual([401, 'UNAUTHENTICATED'])
    const unnamed = await at.post(path, { title: 'T' }, { 'x-user-id': undefined })
    expect([unnamed.status, unnamed.data.issues[0].path]).toEqual([400, 'user_id'])
    const client = { 'x-user-type': 'client' }
    expect((await at.post(path, { title: 'T', user_id: 'u-2' }, client)).status).toBe(400)
    expect((await at.post(path, { title: 'T', user_id: 'u-1' }, client)).status).toBe(201)
    const anonymous = { ...client, 'x-user-id': undefined }
    expect((await at.post(path, { title: 'T', user_id: 'u-1' }, anonymous)).status).toBe(401)
  })
})

describe('updating a matter', () => {
  test('an update merges the given fields and keeps the rest', async () => {
    const { id } = await at.createMatter({
      profile: { a: 1, b: { c: 1, d: 2 }, gone: 1 },
      data: { workbench: { goal: 'x', step: 1 }, litigation: { court: 'y' }, work_product: {} },
      file_ids: ['f-1', 'f-2'],
    })
    const edited = await put(id, {
      title: 'New',
      cause_of_action_code: 'loan',
      lawyer_id: 8,
      profile: { b: { c: 3 }, gone: null, e: [null] },
      data: { workbench: { step: 2, goal: null }, litigation: null, extra: 'text' },
      file_ids: ['f-3'],
    })
    expect([edited.status, edited.headers.get('etag')]).toEqual([200, '"2"'])
    expect(edited.data).toMatchObject({
      title: 'New',
      cause_of_action_code: 'loan',
      lawyer_id: '8',
      status: 'DRAFT',
      version: 2,
      file_ids: ['f-3'],
    })
    expect(edited.data.profile).toEqual({ a: 1, b: { c: 3 }, e: [null] })
    expect(edited.data.data).toEqual({ workbench: { step: 2 }, work_product: {}, extra: 'text' })
    expect(await at.matter(id)).toEqual(edited.data)
    const cleared = await put(id, { cause_of_action_code: null, lawyer_id: null })
    expect(cleared.data).toMatchObject({ cause_of_action_code: null, lawyer_id: null, version: 3 })
  })

  test('an update without changes keeps the version and records no event', async () => {
    const before = await at.createMatter({ profile: { a: { x: 1, y: 2 } } })
    const same = { title: before.title, profile: { a: { y: 2, x: 1 }, b: null }, file_ids: [] }
    expect((await put(before.id, same)).data).toEqual(before)
    expect((await put(before.id, {})).data).toEqual(before)
    expect((await at.timeline(before.id)).events).toHaveLength(1)
  })

  test('a matter can be sent back unchanged; immutable fields are 400', async () => {
    const before = await at.createMatter()
    expect((await put(before.id, before)).data).toEqual(before)
    for (const other of [
      { status: 'ACTIVE' },
      { organization_id: 'other' },
      { user_id: 'u-2' },
      { session_id: 'S-1' },
    ]) {
      const { status, data } = await put(before.id, { title: 'No', ...other })
      expect([status, data.issues[0].path]).toEqual([400, Object.keys(other)[0]])
    }
    expect(await at.matter(before.id)).toEqual(before)
  })

  test('a stale If-Match changes nothing', async () => {
    const { id } = await at.createMatter()
    expect((await put(id, { title: 'A' }, { 'if-match': '"1"' })).status).toBe(200)
    const stale = await put(id, { title: 'B' }, { 'if-match': '"1"' })
    expect([stale.status, stale.code, stale.data]).toEqual([
      409,
      'VERSION_CONFLICT',
      { version: 2 },
    ])
    expect((await at.matter(id)).title).toBe('A')
    expect((await put(id, { title: 'C' }, { 'if-match': '"2"' })).data.version).toBe(3)
  })

  test('ten concurrent updates keep every member', async () => {
    const { id } = await at.createMatter()
    const names = Array.from({ length: 10 }, (_, n) => `member${n}`)
    await Promise.all(names.map((name) => put(id, { profile: { [name]: name } })))
    const { profile, version } = await at.matter(id)
    expect(profile).toEqual(Object.fromEntries(names.map((name) => [name, name])))
    expect(version).toBe(11)
  })

  test('an update is recorded in the timeline with actor, before and after', async () => {
    const { id } = await at.createMatter({ profile: { amount: 1 } })
    await put(id, { title: 'New', profile: { amount: 2 } }, { 'x-user-id': 'u-9' })
    const [edited, created] = (await at.timeline(id)).events
    expect(edited).toEqual({
      id: expect.any(String),
      type: 'matter.edited',
      actor: 'u-9',
      at: expect.stringMatching(/Z$/),
      summary: 'Changed title, profile.',
      from: { title: 'Loan to Li', profile: { amount: 1 } },
      to: { title: 'New', profile: { amount: 2 } },
    })
    expect(created).toMatchObject({ type: 'matter.created', actor: 'u-1', to: { status: 'DRAFT' } })
  })

  test('long values are truncated in events', async () => {
    const { id } = await at.createMatter()
    await put(id, { title: 'New', profile: { text: 'x'.repeat(100_000) } })
    const [edited] = (await at.timeline(id)).events
    expect(edited.to).toEqual({ title: 'New', profile: '…' })
  })

  test('an unknown matter is 404 and DELETE is 405', async () => {
    for (const id of [nowhere, 'no-uuid', '%00']) {
      expect((await put(id, { title: 'T' })).status).toBe(404)
      expect((await at.call('GET', `${path}/${id}`)).status).toBe(404)
    }
    const { id } = await at.createMatter()
    const refused = await at.call('DELETE', `${path}/${id}`)
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD, PUT'])
    expect((await at.matter(id)).id).toBe(id)
  })
})

describe('the list', () => {
  const inOrganization = (organization: string) => {
    const headers = { 'x-organization-id': organization }
    return {
      make: async (body: object) => (await at.post(path, { title: 'T', ...body }, headers)).data,
      list: async (query: string) => (await at.call('GET', `${path}?${query}`, { headers })).data,
    }
  }

  test('the list filters by status, category, user and q, last updated first', async () => {
    const { make, list } = inOrganization('list-1')
    const headers = { 'x-organization-id': 'list-1' }
    const loan = await make({ title: 'Loan to LI', matter_category: 'civil_litigation' })
    const wages = await make({
      title: '100% wages',
      user_id: 'u-2',
      cause_of_action_code: 'Wage.1',
    })
    const other = await make({ title: '合同审查' })
    await at.post(`${path}/${loan.id}/status`, { status: 'ACTIVE' }, headers)
    const ids = async (query: string) => (await list(query)).items.map((each: any) => each.id)
    expect(await ids('')).toEqual([loan.id, other.id, wages.id])
    expect(await ids('status=ACTIVE')).toEqual([loan.id])
    expect(await ids('matter_category=consultation')).toEqual([other.id, wages.id])
    expect(await ids('user_id=u-2')).toEqual([wages.id])
    expect(await ids('q=to%20li')).toEqual([loan.id])
    expect(await ids('q=%25')).toEqual([wages.id])
    expect(await ids('q=wage.1')).toEqual([wages.id])
    expect(await ids('q=%E5%90%88%E5%90%8C')).toEqual([other.id])
    expect(await ids("q='%20or%20true--")).toEqual([])
    expect(await ids('status=DRAFT&user_id=u-1')).toEqual([other.id])
  })

  test('the list is paged', async () => {
    const { make, list } = inOrganization('list-2')
    for (let n = 0; n < 5; n++) await make({ title: `Matter ${n}` })
    const first = await list('size=2')
    expect(first).toMatchObject({ page: 1, size: 2, total: 5, total_pages: 3 })
    expect(first.items.map((each: any) => each.title)).toEqual(['Matter 4', 'Matter 3'])
    expect((await list('size=2&page=3')).items).toHaveLength(1)
    expect(await list('limit=2&page=9')).toMatchObject({ items: [], page: 9, total: 5 })
    for (const query of ['page=0', 'size=0', 'size=201', 'page=x', 'status=OPEN']) {
      const { status } = await at.call('GET', `${path}?${query}`)
      expect([query, status]).toEqual([query, 400])
    }
  })
})
