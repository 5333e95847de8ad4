import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  internal,
  type MatterStage,
  makePeer,
  path,
  stageMatter,
} from '../../tests/support/matter.ts'

const types = {
  service_types: [{ id: 'contract_review', name: 'Contract review by a lawyer' }],
  resolved_service_types: { wages: { name: '讨薪' } },
}
const platform = makePeer(() => ({ value: types }))

let at: MatterStage
beforeAll(async () => {
  at = await stageMatter({ peers: { 'platform-service': platform.peer } })
})
afterAll(() => at.close())

let sessions = 0
const buildRequest = (more: object = {}) => ({
  session_id: `S-${++sessions}`,
  user_id: 7,
  organization_id: 'acme',
  title: 'Loan to Li',
  ...more,
})
const open = (body: object, headers = {}) =>
  at.post(`${internal}/from-consultation`, body, { 'x-user-type': undefined, ...headers })
const listTodos = async (id: string) =>
  (await at.todos(id)).map(({ todo_key, actor, status }: any) => [todo_key, actor, status])

describe('a matter from a consultation', () => {
  test('from-consultation creates a draft with the intake todo', async () => {
    const body = buildRequest({ service_type_id: 3, file_ids: ['f-1'] })
    const { status, data } = await open(body)
    expect([status, data]).toEqual([
      201,
      { matter_id: expect.any(String), status: 'DRAFT', created: true },
    ])
    expect(await at.matter(data.matter_id)).toMatchObject({
      title: 'Loan to Li',
      status: 'DRAFT',
      matter_category: 'consultation',
      service_type_id: '3',
      session_id: body.session_id,
      user_id: '7',
      organization_id: 'acme',
      lawyer_id: null,
      firm_id: null,
      file_ids: ['f-1'],
      version: 1,
    })
    expect(await listTodos(data.matter_id)).toEqual([['intake_collection', 'client', 'OPEN']])
    const { events } = await at.timeline(data.matter_id)
    expect(events).toMatchObject([{ type: 'matter.created', actor: '7' }])
  })

  test('a second call for a session returns the current matter', async () => {
    const body = buildRequest()
    const { data: first } = await open(body)
    await at.post(`${path}/${first.matter_id}/status`, { status: 'ACTIVE' })
    const again = await open({ ...body, title: 'Another', user_id: 8 })
    expect([again.status, again.data]).toEqual([
      200,
      { matter_id: first.matter_id, status: 'ACTIVE', created: false },
    ])
    expect((await at.matter(first.matter_id)).title).toBe('Loan to Li')
    expect(await at.todos(first.matter_id)).toHaveLength(1)
  })

  test('twenty concurrent calls create one matter', async () => {
    const body = buildRequest({ providerOrganizationId: 'firm' })
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        open(body, n % 4 === 0 ? { 'idempotency-key': 'race' } : {}),
      ),
    )
    expect(new Set(responses.map(({ data }) => data.matter_id)).size).toBe(1)
    const created = responses.filter(({ data }) => data.created)
    // The creating request can be repeated with its Idempotency-Key.
    expect([1, 5]).toContain(created.length)
    expect(responses.every(({ status, data }) => status === (data.created ? 201 : 200))).toBe(true)
    const { total } = await at.read(`${path}?q=loan&user_id=7&size=1`)
    expect(total).toBe(sessions)
    expect(await at.todos(created[0]!.data.matter_id)).toHaveLength(2)
  })

  test('the same session id in another organization creates another matter', async () => {
    const body = buildRequest()
    const own = await open(body)
    const foreign = await open(
      { ...body, organization_id: 'other' },
      { 'x-organization-id': 'other' },
    )
    expect([own.status, foreign.status]).toEqual([201, 201])
    expect(foreign.data.matter_id).not.toBe(own.data.matter_id)
  })

  test('the organization comes from body or header; a contradiction is 400', async () => {
    const contradiction = await open(buildRequest({ organization_id: 'other' }))
    expect([contradiction.status, contradiction.data.issues[0].path]).toEqual([
      400,
      'organization_id',
    ])
    expect((await open(buildRequest(), { 'x-organization-id': undefined })).status).toBe(201)
    expect((await open(buildRequest({ organization_id: undefined }))).status).toBe(201)
    const none = await open(buildRequest({ organization_id: undefined }), {
      'x-organization-id': undefined,
    })
    expect([none.status, none.data.issues[0].path]).toEqual([400, 'organization_id'])
  })

  test.each([
    ['a client', {}, null, null, ['intake_collection']],
    ['a lawyer', { user_type: 'lawyer' }, '7', null, ['intake_collection']],
    [
      'a lawyer for another',
      { user_type: 'lawyer', lawyer_id: 9 },
      '9',
      null,
      ['intake_collection'],
    ],
    ['a firm', { user_type: 'firm_admin' }, null, 'acme', ['intake_collection']],
    [
      'a client of a provider',
      { user_type: 'client', providerOrganizationId: 12 },
      null,
      null,
      ['intake_collection', 'dispatch_lawyer'],
    ],
    [
      'a client of a provider with a lawyer',
      { providerOrganizationId: 'firm', lawyer_id: 'l-1' },
      'l-1',
      null,
      ['intake_collection'],
    ],
    [
      'a lawyer of a provider',
      { user_type: 'lawyer', providerOrganizationId: 'firm' },
      '7',
      null,
      ['intake_collection'],
    ],
    [
      'a firm of a provider',
      { user_type: 'firm_admin', providerOrganizationId: 'firm' },
      null,
      'acme',
      ['intake_collection', 'dispatch_lawyer'],
    ],
  ])(
    'of %s binds whom it should and asks for what is missing',
    async (_, more, lawyer, firm, keys) => {
      const { data } = await open(buildRequest(more))
      expect(await at.matter(data.matter_id)).toMatchObject({ lawyer_id: lawyer, firm_id: firm })
      expect((await listTodos(data.matter_id)).map(([key]: string[]) => key)).toEqual(keys)
    },
  )

  test('the user type defaults to the header', async () => {
    const { data } = await open(buildRequest(), { 'x-user-type': 'lawyer' })
    expect((await at.matter(data.matter_id)).lawyer_id).toBe('7')
  })

  test('the title defaults to the name of the service type', async () => {
    const openAndReadTitle = async (more: object) => {
      const { data } = await open(buildRequest({ title: undefined, ...more }))
      const { title, service_type_id } = await at.matter(data.matter_id)
      return [title, service_type_id]
    }
    expect(await openAndReadTitle({})).toEqual(['Legal consultation', 'legal_consultation'])
    expect(await openAndReadTitle({ title: ' ', service_type_id: null })).toEqual([
      'Legal consultation',
      'legal_consultation',
    ])
    await at.read('/api/v1/service-types')
    expect((await openAndReadTitle({ service_type_id: 'contract_review' }))[0]).toBe(
      'Contract review by a lawyer',
    )
    expect((await openAndReadTitle({ service_type_id: 'wages' }))[0]).toBe('讨薪')
    expect((await openAndReadTitle({ service_type_id: 'toString' }))[0]).toBe('ToString')
  })

  test('a missing session or user is 400, a missing key 401', async () => {
    for (const [member, value] of Object.entries({
      session_id: '',
      user_id: null,
      user_type: 'judge',
    })) {
      const { status, data } = await open(buildRequest({ [member]: value }))
      expect([status, data.issues[0].path]).toEqual([400, member])
    }
    expect((await open(buildRequest(), { 'x-internal-api-key': 'wrong' })).status).toBe(401)
  })
})
