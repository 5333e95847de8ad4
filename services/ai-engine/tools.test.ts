import { beforeEach, expect, test } from 'vitest'
import { Fault } from '../_kit/fault.ts'
import type { Client, RequestOptions } from '../_kit/peer.ts'
import type { ToolContext } from './tool.ts'
import { bindTools, tools } from './tools.ts'

interface RecordedRequest extends RequestOptions {
  service: string
  path: string
}

let requests: RecordedRequest[] = []
let answer: (request: RecordedRequest) => unknown
beforeEach(() => {
  requests = []
  answer = () => ({ facts: [] })
})

const client = (service: string): Client => ({
  async request(schema, path, question = {}) {
    const each = { ...question, service, path }
    requests.push(each)
    return schema.parse(answer(each))
  },
  stream: () => Promise.reject(new Error('nothing streams here')),
})

const headers = { 'x-organization-id': 'acme', 'x-user-id': '8', 'x-user-type': 'lawyer' }
const context: ToolContext = {
  headers,
  readerHeaders: headers,
  client_id: '7',
  matter_id: 'm-1',
  file_ids: ['f-1'],
  memory: client('memory'),
  files: client('files'),
  knowledge: client('knowledge'),
  today: '2026-06-15',
}
const bindAll = (changes: Partial<ToolContext> = {}) =>
  bindTools(
    tools.map(({ name }) => name),
    { ...context, ...changes },
  )

const hit = {
  kb_id: 'k',
  document_id: 'd',
  title: 'T',
  section_id: null,
  content: 'y',
  score: 1,
}

const fact = (entity_key: string, score: number) => ({
  entity_key,
  score,
  category: 'case_detail',
  content: entity_key,
  updated_at: '2026-01-01T00:00:00.000Z',
})

test('memory is recalled for the client, organization and case of the run, whatever the arguments', async () => {
  answer = ({ body }) => ({
    facts: [(body as any).scope === 'case' ? fact('of the case', 2) : fact('of the person', 1)],
  })
  const smuggled = {
    query: 'loan',
    user_id: '8',
    organization_id: 'other',
    case_id: 'm-2',
    scope: 'global',
    headers: { 'x-organization-id': 'other' },
  }
  const result = await bindAll().recall_memory!.run(smuggled)
  expect(result).toMatchObject({
    facts: [{ content: 'of the case' }, { content: 'of the person' }],
  })
  expect(requests.map((request) => request.headers)).toEqual([headers, headers])
  expect(requests.map(({ body }) => body)).toEqual([
    { user_id: '7', query: 'loan', top_k: 5, scope: 'global' },
    { user_id: '7', query: 'loan', top_k: 5, scope: 'case', case_id: 'm-1' },
  ])
})

test('without a matter no case facts are recalled, and without a user nothing', async () => {
  await bindAll({ matter_id: null }).recall_memory!.run({ query: 'loan' })
  expect(requests.map(({ body }) => (body as any).scope)).toEqual(['global'])
  requests = []
  expect(await bindAll({ client_id: '' }).recall_memory!.run({ query: 'x' })).toEqual({ facts: [] })
  expect(requests).toEqual([])
})

test('a file is read only if it belongs to the run', async () => {
  answer = () => ({ text: 'x'.repeat(30_000), pages: 3, language: 'en', truncated: false })
  for (const file_id of ['f-2', '../f-1', 'f-1/../../x', '']) {
    expect(await bindAll().read_file!.run({ file_id })).toHaveProperty('error')
  }
  expect(requests).toEqual([])
  const first = (await bindAll().read_file!.run({ file_id: 'f-1' })) as any
  expect(first).toMatchObject({ file_id: 'f-1', pages: 3, next_offset: 12_000 })
  expect(first.text).toHaveLength(12_000)
  const last = await bindAll().read_file!.run({ file_id: 'f-1', offset: 24_000 })
  expect(last).toMatchObject({ next_offset: null })
  expect(requests[0]).toMatchObject({
    service: 'files',
    path: '/api/v1/internal/files/f-1/text',
    headers,
  })
})

test('a page of a file does not end within a character', async () => {
  const text = `${'x'.repeat(11_999)}😀 end`
  answer = () => ({ text, pages: 1, language: 'en', truncated: false })
  const read = async (offset: number) =>
    (await bindAll().read_file!.run({ file_id: 'f-1', offset })) as any
  const first = await read(0)
  const second = await read(first.next_offset)
  expect([first.text + second.text, second.next_offset]).toEqual([text, null])
  expect(first.text.isWellFormed()).toBe(true)
})

const element = {
  element_id: 'private_lending.agreement',
  name: '借贷合意',
  name_en: 'Agreement to lend',
  description: '',
  burden_of_proof: 'plaintiff',
  required: true,
  evidence_types: ['借条'],
  legal_basis: [{ law: '民法典', article: '第六百六十七条', quote: 'q' }],
  cases: [],
}

test('law search uses the person and organization of the run and the law of the given day or of today', async () => {
  answer = ({ path }) => {
    if (path.includes('causes-of-action')) return { code: 'x', name: 'X', elements: [element] }
    if (path.endsWith('/verify')) return { citations: [] }
    return { hits: [{ ...hit, content: 'y'.repeat(5_000) }] }
  }
  const tools = bindAll()
  expect(
    await tools.legal_elements!.run({ cause_of_action_code: 'private_lending' }),
  ).toMatchObject({
    elements: [{ element_id: element.element_id, legal_basis: [{ article: '第六百六十七条' }] }],
  })
  const { passages } = (await tools.search_law!.run({ query: '借款', as_of: '1990-01-01' })) as any
  expect(passages[0].content).toHaveLength(2_000)
  await tools.check_citations!.run({ text: '《民法典》第六百六十七条' })
  expect(requests.map((request) => request.headers)).toEqual(Array(3).fill(headers))
  expect(requests.map(({ body }) => (body as any)?.as_of)).toEqual([
    undefined,
    '1990-01-01',
    '2026-06-15',
  ])
})

test('an invalid cause_of_action_code is rejected without a request', async () => {
  for (const cause_of_action_code of ['../bases', 'a/b', '']) {
    expect(await bindAll().legal_elements!.run({ cause_of_action_code })).toHaveProperty('error')
  }
  expect(requests).toEqual([])
})

test.each([
  ['UPSTREAM_UNAVAILABLE', { unavailable: true }],
  ['NOT_FOUND', { not_found: true }],
  ['CONFLICT', { not_ready: true }],
] as const)('a fault %s of a peer is returned as data', async (kind, expected) => {
  answer = () => {
    throw new Fault(kind, 'secret host down')
  }
  expect(await bindAll().read_file!.run({ file_id: 'f-1' })).toEqual(expected)
  expect(await bindAll().recall_memory!.run({ query: 'x' })).toEqual(expected)
})

test('only the named tools are bound and invalid arguments are rejected', async () => {
  expect(Object.keys(bindTools(['read_file', 'shell'], context))).toEqual(['read_file'])
  expect(await bindAll().recall_memory!.run({ query: 5 })).toHaveProperty('error')
  expect(requests).toEqual([])
  expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length)
})
