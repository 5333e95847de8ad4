import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  internal,
  type MatterStage,
  makePeer,
  path,
  stageMatter,
} from '../../tests/support/matter.ts'
import { stripPlaybook } from './playbook.ts'

const planted = { playbook_id: 'pb-1', kept: [{ playbook_id: 'pb-2', deep: { playbook_id: {} } }] }
const clean = { kept: [{ deep: {} }] }

const memory = makePeer(() => null)
const platform = makePeer(() => ({
  value: { service_types: [planted], resolved_service_types: planted },
}))

let at: MatterStage
beforeAll(async () => {
  at = await stageMatter({
    peers: { 'memory-service': memory.peer, 'platform-service': platform.peer },
  })
})
afterAll(() => at.close())
beforeEach(async () => {
  await at.sql`delete from matter.jobs`
})

const tables = [
  ...['matters', 'todos', 'phases', 'deliverables', 'facts', 'events', 'syncs'],
  ...['analysis_versions', 'submissions', 'idempotency_keys', 'jobs'],
]
const readAllRows = async () => {
  const rows = await Promise.all(
    tables.map((table) =>
      at.sql.statement(`select to_jsonb(t)::text as row from matter.${table} t`),
    ),
  )
  return rows
    .flat()
    .map(({ row }) => String(row))
    .join('\n')
}

/** One request per endpoint with a body, with playbook_id at every level. */
async function tellAll(headers: Record<string, string> = {}) {
  const post = async (path: string, body: object) => {
    const response = await at.post(path, { ...planted, ...body }, headers)
    expect(response.status).toBeLessThan(300)
    return response
  }
  const input = { profile: planted, data: { workbench: planted, ...planted } }
  const texts = [await post(path, { title: 'T', ...input })]
  const { id } = texts[0]!.data
  texts.push(
    await at.call('PUT', `${path}/${id}`, {
      body: { ...planted, title: 'U', ...input, profile: { ...planted, a: 1 } },
    }),
    await post(`${path}/${id}/status`, { status: 'ACTIVE', reason: 'r' }),
    await post(`${path}/${id}/todos`, { todo_key: 'k', payload: planted }),
    await post(`${path}/${id}/todos/k/complete`, { result: planted }),
    await post(`${internal}/from-consultation`, { session_id: `S-${id}`, user_id: 1 }),
    await post(`${internal}/${id}/sync/all`, {
      sync_key: 'k',
      ...input,
      phases: [{ phase_id: 'p', ...planted }],
      todos: [{ todo_key: 's', payload: planted }],
      complete_todos: [{ todo_key: 's', result: planted }],
      deliverables: [{ deliverable_key: 'd', ...planted }],
      facts: [{ entity_key: 'f', content: 'c', value: planted, metadata: planted }],
    }),
    await post(`${internal}/${id}/analysis/versions/allocate`, {}),
    await post(`${internal}/${id}/evidences/submit-analysis`, { version: 1, items: [planted] }),
    await post(`${internal}/${id}/sufficiency/submit`, { version: 1, result: planted }),
  )
  return { id, text: texts.map((response) => response.text).join('\n') }
}

const readAll = async (id: string) => {
  const paths = [
    ...[
      '',
      `/${id}`,
      `/${id}/todos`,
      `/${id}/timeline`,
      `/${id}/deliverables`,
      `/${id}/deliverables/d`,
    ],
    ...[`/${id}/analysis`, `/${id}/analysis/1`],
  ].map((rest) => path + rest)
  const others = [
    `${internal}/${id}`,
    `${internal}/${id}/workflow/profile`,
    `${internal}/${id}/analysis/versions/latest`,
    '/api/v1/service-types',
    '/api/v1/flow-blueprints',
  ]
  const responses = await Promise.all([...paths, ...others].map((each) => at.call('GET', each)))
  expect(responses.every(({ status }) => status === 200)).toBe(true)
  return responses.map(({ text }) => text).join('\n')
}

test('playbook_id in a request is dropped and everything else is stored', async () => {
  const { id, text } = await tellAll({ 'idempotency-key': 'told' })
  expect(text).not.toContain('playbook_id')
  expect(await readAllRows()).not.toContain('playbook_id')
  expect(await readAll(id)).not.toContain('playbook_id')
  expect(await at.matter(id)).toMatchObject({
    profile: { ...clean, a: 1 },
    data: { workbench: clean, ...clean },
  })
  expect(await at.todos(id)).toMatchObject([
    { payload: clean, result: clean },
    { payload: clean, result: clean },
  ])
  const { evidences, sufficiency } = await at.read(`${path}/${id}/analysis/1`)
  expect([evidences.items, sufficiency.result]).toEqual([[clean], clean])
})

test('two syncs that differ only in playbook_id are equal', async () => {
  const { id } = await at.createMatter()
  await at.sync(id, { sync_key: 'k', profile: { a: 1 } })
  const again = await at.sync(id, {
    sync_key: 'k',
    playbook_id: 'x',
    profile: { a: 1, playbook_id: 1 },
  })
  expect([again.status, again.data.applied]).toEqual([200, false])
})

test('a stored playbook_id is in no response and is not sent to other services', async () => {
  const { id } = await tellAll()
  const old = JSON.stringify(planted)
  await at.sql`update matter.matters set profile = ${old}::text::jsonb, data = ${old}::text::jsonb where id = ${id}`
  await at.sql`update matter.todos set payload = ${old}::text::jsonb, result = ${old}::text::jsonb`
  await at.sql`update matter.events set before = ${old}::text::jsonb, after = ${old}::text::jsonb`
  await at.sql`update matter.facts set value = ${old}::text::jsonb, metadata = ${old}::text::jsonb`
  await at.sql`
    update matter.submissions
    set body = jsonb_build_object('items', jsonb_build_array(${old}::text::jsonb))`
  expect(await readAll(id)).not.toContain('playbook_id')
  expect((await at.matter(id)).profile).toEqual(clean)

  const writes = await Promise.all([
    at.call('PUT', `${path}/${id}`, { body: { title: 'V' } }),
    at.post(`${path}/${id}/status`, { status: 'ON_HOLD' }),
    at.post(`${path}/${id}/todos`, { todo_key: 'k' }),
    at.post(`${path}/${id}/todos/k/complete`, { result: 'other' }),
  ])
  for (const { text } of writes) expect(text).not.toContain('playbook_id')

  memory.requests.length = 0
  while ((await at.tick()) > 0);
  expect(memory.requests.length).toBeGreaterThan(0)
  expect(JSON.stringify(memory.requests.map(({ body }) => body))).not.toContain('playbook_id')
})

test('stripPlaybook removes every playbook_id from any value and keeps the rest', () => {
  const name = fc.constantFrom('playbook_id', 'playbook_config', 'a', '__proto__', 'constructor')
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      fc.jsonValue(),
      fc.array(tie('tree')),
      fc.dictionary(name, tie('tree')),
    ),
  }))
  const holds = (value: unknown): boolean =>
    typeof value === 'object' &&
    value !== null &&
    (Object.hasOwn(value, 'playbook_id') || Object.values(value).some(holds))
  fc.assert(
    fc.property(tree, (value) => {
      const before = JSON.stringify(value)
      const after = stripPlaybook(value)
      expect(holds(after)).toBe(false)
      if (!holds(value)) expect(JSON.stringify(after)).toBe(before)
      expect(JSON.stringify(value)).toBe(before)
    }),
  )
})
