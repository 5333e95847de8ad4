import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Stage, stage } from '../../../tests/support/stage.ts'
import gateway from '../service.ts'

const sessionId = '0190a000-0000-7000-8000-000000000001'
const card = {
  card_id: 'card-1',
  review_type: 'clarify',
  title: 'Facts of the loan',
  questions: [
    { question: 'Amount?', field_key: 'facts.amount', input_type: 'money', required: true },
    {
      question: 'Agreed in writing?',
      field_key: 'facts.written',
      input_type: 'boolean',
      required: true,
    },
    {
      ...{ question: 'Role?', field_key: 'facts.role', input_type: 'select', required: false },
      options: [
        { value: 1, label: 'Lender' },
        { value: 2, label: 'Borrower' },
      ],
    },
  ],
}
const state = { pending: false, resumes: [] as any[], requests: [] as string[] }
beforeEach(() => Object.assign(state, { pending: false, resumes: [], requests: [] }))

const ok = (data: unknown, status = 200) =>
  Response.json({ code: 0, message: 'ok', data }, { status })
const turn = (...events: [string, unknown][]) =>
  new Response(
    events.map(([event, data]) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join(''),
    { headers: { 'content-type': 'text/event-stream' } },
  )

/** consultations-service with one session: the first message asks a card, its answer ends the work. */
async function consultations(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  state.requests.push(`${request.method} ${pathname} ${request.headers.get('x-user-id')}`)
  if (pathname.endsWith('/sessions')) return ok({ id: sessionId }, 201)
  if (pathname.endsWith('/pending_card')) {
    return ok({ has_pending_card: state.pending, ...(state.pending && { card }) })
  }
  if (pathname.endsWith('/chat')) {
    const { content } = (await request.json()) as { content: string }
    if (content === 'fail') {
      return turn(['error', { code: 'BUDGET_EXCEEDED', message: 'No.' }], ['end', { output: '' }])
    }
    if (content === 'cut') return turn(['delta', { content: 'Hm' }])
    state.pending = true
    return turn(['delta', { content: 'Hm' }], ['card', card], ['end', { output: 'A question.' }])
  }
  if (!state.pending) {
    const body = { code: 'NO_PENDING_CARD', message: 'No card is pending.', data: null }
    return Response.json(body, { status: 409 })
  }
  state.pending = false
  state.resumes.push(await request.json())
  return turn(['end', { output: 'Here is your advice.' }])
}
const echo = async (request: Request) =>
  ok({
    path: new URL(request.url).pathname + new URL(request.url).search,
    user: request.headers.get('x-user-id'),
    body: await request.text(),
  })

let at: Stage
let token: string
let readToken: string
beforeAll(async () => {
  at = await stage(gateway, {
    env: { HOST: '127.0.0.1' },
    peers: {
      ...{ 'consultations-service': consultations, 'matter-service': echo },
      ...{ 'knowledge-service': echo, 'platform-service': echo },
    },
  })
  const send = async (path: string, body: unknown, headers = {}) => {
    const response = await at.fetch(
      new Request(`http://127.0.0.1${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    )
    return { response, data: ((await response.json()) as any).data }
  }
  const { response, data } = await send('/auth/local', { person: 'sample-client' })
  const headers = {
    cookie: response.headers.get('set-cookie')!.split(';')[0]!,
    'x-csrf-token': data.csrf,
  }
  token = (await send('/auth/tokens', { name: 'mcp', scopes: ['*'] }, headers)).data.token
  readToken = (await send('/auth/tokens', { name: 'r', scopes: ['matters:read'] }, headers)).data
    .token
})
afterAll(() => at.close())

type Mode = 'legacy' | { pin: string }
async function connect(mode: Mode, bearer = token, answer?: (form: any) => object) {
  const client = new Client(
    { name: 'test', version: '1' },
    {
      capabilities: answer ? { elicitation: { form: {} } } : {},
      versionNegotiation: { mode: mode as never },
    },
  )
  if (answer) {
    client.setRequestHandler('elicitation/create', async ({ params }: any) => ({
      action: 'accept' as const,
      content: answer(params) as Record<string, string>,
    }))
  }
  const transport = new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), {
    fetch: async (url: string | URL, init?: RequestInit) => at.fetch(new Request(url, init)),
    requestInit: { headers: { authorization: `Bearer ${bearer}` } },
  })
  await client.connect(transport)
  return client
}
const dataOf = (result: any) => JSON.parse(result.content[0].text)

describe.each<[string, Mode]>([
  ['the current revision', { pin: '2026-07-28' }],
  ['the revision before', 'legacy'],
])('MCP in %s', (_, mode) => {
  test('a client lists the tools and reads statutes and matters as its person', async () => {
    const client = await connect(mode)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name).sort()).toEqual([
      ...['answer_card', 'calculate', 'get_matter', 'list_calculators', 'list_deliverables'],
      ...[
        'list_matters',
        'search_statutes',
        'send_message',
        'start_consultation',
        'verify_citations',
      ],
    ])
    const search = await client.callTool({ name: 'search_statutes', arguments: { query: '借款' } })
    expect(dataOf(search)).toMatchObject({ path: '/api/v1/knowledge/query', user: 'sample-client' })
    const matters = await client.callTool({ name: 'list_matters', arguments: { q: '借', size: 5 } })
    expect(dataOf(matters).path).toBe('/api/v1/matters?q=%E5%80%9F&size=5')
    const wrong = await client
      .callTool({ name: 'get_matter', arguments: { matter_id: '../internal' } })
      .catch((error: Error) => ({ isError: true, error }))
    expect(wrong.isError).toBe(true)
    await client.close()
  })

  test('a token acts within its scopes', async () => {
    const client = await connect(mode, readToken)
    expect((await client.callTool({ name: 'list_matters', arguments: {} })).isError).toBeFalsy()
    const refused = await client.callTool({
      name: 'start_consultation',
      arguments: { message: 'Hi' },
    })
    expect(refused.isError).toBe(true)
    expect(dataOf(refused).code).toBe('FORBIDDEN')
    expect(state.requests).toEqual([])
    await client.close()
  })

  test('a client without elicitation completes a consultation with answers as arguments', async () => {
    const client = await connect(mode)
    const started = await client.callTool({
      name: 'start_consultation',
      arguments: { message: '借款纠纷' },
    })
    expect(dataOf(started)).toMatchObject({
      session_id: sessionId,
      pending_card: { card_id: 'card-1' },
    })
    const answers = { 'facts.amount': 5000, 'facts.written': true, 'facts.role': '2' }
    const answered = await client.callTool({
      name: 'answer_card',
      arguments: { session_id: sessionId, card_id: 'card-1', answers },
    })
    expect(dataOf(answered)).toMatchObject({ output: 'Here is your advice.', pending_card: null })
    expect(state.resumes).toEqual([
      {
        card_id: 'card-1',
        user_response: {
          answers: [
            { field_key: 'facts.amount', value: 5000 },
            { field_key: 'facts.written', value: true },
            { field_key: 'facts.role', value: 2 },
          ],
        },
      },
    ])
    const again = await client.callTool({
      name: 'answer_card',
      arguments: { session_id: sessionId, card_id: 'card-1', answers },
    })
    expect(dataOf(again).code).toBe('NO_PENDING_CARD')
    expect(state.resumes).toHaveLength(1)
    await client.close()
  })
})

test('a pending card is an elicitation that is answered exactly once', async () => {
  const forms: any[] = []
  const client = await connect({ pin: '2026-07-28' }, token, (form) => {
    forms.push(form)
    return { 'facts.amount': 100, 'facts.written': false }
  })
  await client.callTool({ name: 'start_consultation', arguments: { message: '借款纠纷' } })
  const calls = await Promise.all(
    [1, 2].map(() =>
      client.callTool({ name: 'answer_card', arguments: { session_id: sessionId } }),
    ),
  )
  expect(forms[0]).toMatchObject({
    message: 'Facts of the loan',
    requestedSchema: {
      properties: {
        'facts.amount': { type: 'number' },
        'facts.role': {
          oneOf: [
            { const: '1', title: 'Lender' },
            { const: '2', title: 'Borrower' },
          ],
        },
      },
      required: ['facts.amount', 'facts.written'],
    },
  })
  expect(state.resumes).toHaveLength(1)
  expect(calls.filter(({ isError }) => isError)).toHaveLength(1)
  await client.close()
})

test('answers that name no card or an earlier one do not reach the pending card', async () => {
  const client = await connect('legacy')
  await client.callTool({ name: 'start_consultation', arguments: { message: '借款纠纷' } })
  const answer = async (given: object) =>
    dataOf(
      await client.callTool({
        name: 'answer_card',
        arguments: { session_id: sessionId, answers: { 'facts.amount': 1 }, ...given },
      }),
    )
  expect((await answer({})).code).toBe('VALIDATION_FAILED')
  expect((await answer({ card_id: 'card-0' })).code).toBe('CONFLICT')
  expect(state.resumes).toEqual([])
  const answers = { 'facts.amount': null, unknown_field: 'x' }
  await answer({ card_id: 'card-1', answers })
  expect(state.resumes[0].user_response.answers).toEqual([
    { field_key: 'facts.amount', value: null, unknown: true },
    { field_key: 'unknown_field', value: 'x' },
  ])
  await client.close()
})

test('a turn that fails or is cut says so', async () => {
  const client = await connect('legacy')
  const start = async (message: string) =>
    dataOf(await client.callTool({ name: 'start_consultation', arguments: { message } }))
  expect(await start('fail')).toMatchObject({ output: '', error: { code: 'BUDGET_EXCEEDED' } })
  expect((await start('cut')).code).toBe('UPSTREAM_UNAVAILABLE')
  await client.close()
})

test('a message larger than the limit of JSON bodies is 413', async () => {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/list',
    params: { x: 'x'.repeat(2 ** 20) },
  })
  const response = await at.fetch(
    new Request('http://127.0.0.1/mcp', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body,
    }),
  )
  expect(response.status).toBe(413)
})

test('without a credential MCP is 401 with the address of its metadata', async () => {
  const response = await at.fetch(
    new Request('http://127.0.0.1/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    }),
  )
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toMatch(/oauth-protected-resource\/mcp"/)
})
