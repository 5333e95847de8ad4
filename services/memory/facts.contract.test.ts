import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, stage } from '../../tests/support/stage.ts'
import memory from './service.ts'

const path = '/api/v1/internal/memory/facts'

let at: Stage
beforeAll(async () => {
  at = await stage(memory)
})
afterAll(() => at.close())

let count = 0
const newFact = (more: object = {}) => ({
  user_id: 7,
  scope: 'case',
  case_id: 'C-1',
  entity_key: `loan.principal.${++count}`,
  category: 'case_detail',
  content: '借款本金十万元',
  value: { amount: 100_000 },
  ...more,
})
const postFact = (more?: object, headers = {}) =>
  at.call('POST', path, { body: newFact(more), headers })

describe('creating a fact', () => {
  test('a new key creates a fact with default values', async () => {
    const fact = newFact()
    const { status, data, headers } = await at.call('POST', path, { body: fact })
    expect(status).toBe(201)
    expect(data).toMatchObject({
      ...fact,
      user_id: '7',
      tenant_id: 'acme',
      confidence: 1,
      source: 'user',
      metadata: {},
      version: 1,
      has_conflict: false,
    })
    expect(data.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
    expect(headers.get('etag')).toBe('"1"')
  })

  test('equal content with another confidence changes nothing', async () => {
    const fact = newFact()
    const first = await at.call('POST', path, { body: fact })
    const again = await at.call('POST', path, { body: { ...fact, confidence: 0.5 } })
    expect(again.status).toBe(200)
    expect(again.data).toEqual(first.data)
  })

  test('different content replaces the old content, which is stored as a conflict', async () => {
    const fact = newFact({ user_id: 'contradicted' })
    const first = await at.call('POST', path, { body: fact })
    const other = { ...fact, content: '借款本金二十万元', value: { amount: 200_000 } }
    const { status, data } = await at.call('POST', path, { body: other })
    expect(status).toBe(200)
    expect(data).toMatchObject({
      id: first.data.id,
      content: other.content,
      version: 2,
      has_conflict: true,
    })
    const conflicts = await at.call('GET', '/api/v1/internal/memory/users/contradicted/conflicts')
    expect(conflicts.data.items).toMatchObject([
      {
        fact_id: first.data.id,
        entity_key: fact.entity_key,
        previous: { content: fact.content, value: fact.value, category: fact.category },
        current: { content: other.content, value: other.value, category: fact.category },
        resolution: 'newest_wins',
      },
    ])
  })

  test('the key is tenant, user, scope, case and entity key together', async () => {
    const fact = newFact()
    await at.call('POST', path, { body: fact })
    const others = [
      { ...fact, user_id: 8 },
      { ...fact, case_id: 'C-2' },
      { ...fact, scope: 'global', case_id: undefined },
      { ...fact, entity_key: `${fact.entity_key}.x` },
    ]
    for (const body of others) expect((await at.call('POST', path, { body })).status).toBe(201)
    const elsewhere = await at.call('POST', path, {
      body: fact,
      headers: { 'x-organization-id': 'b' },
    })
    expect(elsewhere.status).toBe(201)
  })

  test('an integer id and its text are the same id', async () => {
    const fact = newFact({ case_id: 42 })
    const first = await at.call('POST', path, { body: fact })
    expect(first.data.case_id).toBe('42')
    const again = await at.call('POST', path, { body: { ...fact, user_id: '7', case_id: '42' } })
    expect([again.status, again.data.id]).toEqual([200, first.data.id])
  })

  test('any JSON value is returned as it was stored', async () => {
    const values = [
      null,
      true,
      'text "quoted" \\ 引号',
      0.1,
      -0.5e-7,
      [],
      {},
      [1, [2, { a: null }]],
      '',
    ]
    for (const value of values) {
      const { data } = await postFact({ value })
      expect((await at.call('GET', `${path}/${data.id}`)).data.value).toEqual(value)
    }
  })
})

describe('invalid requests', () => {
  const cases: [string, object, string][] = [
    ['scope case without a case', { case_id: undefined }, 'case_id'],
    ['scope global with a case', { scope: 'global' }, 'case_id'],
    ['an unknown category', { category: 'gossip' }, 'category'],
    ['empty content', { content: '' }, 'content'],
    ['content past its limit', { content: 'x'.repeat(8_001) }, 'content'],
    ['a confidence above one', { confidence: 1.1 }, 'confidence'],
    ['a missing user', { user_id: undefined }, 'user_id'],
    ['a fractional user id', { user_id: 1.5 }, 'user_id'],
    ['NUL in a text', { content: 'a\0b' }, 'content'],
    ['half a surrogate pair', { value: { note: '\ud800' } }, 'value.note'],
    ['a tenant other than the header names', { tenant_id: 'other' }, 'tenant_id'],
    ['metadata that is no object', { metadata: 'x' }, 'metadata'],
  ]
  test.each(cases)('%s', async (_, more, issue) => {
    const { status, code, data } = await postFact(more)
    expect([status, code]).toEqual([400, 'VALIDATION_FAILED'])
    expect(data.issues[0].path).toBe(issue)
  })

  test('a body that is not JSON, not UTF-8, too deep or too large is 400 or 413', async () => {
    const headers = { 'content-type': 'application/json' }
    const send = (raw: string | Uint8Array) => at.call('POST', path, { raw, headers })
    expect((await send('{"user_id": 7,')).status).toBe(400)
    expect((await send('')).status).toBe(400)
    expect((await send('null')).status).toBe(400)
    expect((await send(new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]))).status).toBe(400)
    expect((await send(`{"value": ${'['.repeat(5_000)}${']'.repeat(5_000)}}`)).status).toBe(400)
    expect((await send('{"value": 1e999}')).data.issues[0].path).toBe('value')
    const large = await send(JSON.stringify(newFact({ metadata: { x: 'y'.repeat(1024 * 1024) } })))
    expect([large.status, large.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await at.call('POST', path, { raw: 'a=b', headers: form })).status).toBe(415)
  })

  test('a missing organization is 400, a missing or wrong key 401', async () => {
    const anonymous = await postFact({}, { 'x-organization-id': undefined })
    expect([anonymous.status, anonymous.code]).toEqual([400, 'VALIDATION_FAILED'])
    for (const key of [undefined, '', 'wrong', 'a-key-for-tests-onl', 'a-key-for-tests-onlyx']) {
      const { status, code } = await postFact({}, { 'x-internal-api-key': key })
      expect([status, code]).toEqual([401, 'UNAUTHENTICATED'])
    }
  })

  test('an unsupported method is 405 with Allow', async () => {
    const { status, code, headers } = await at.call('PATCH', path)
    expect([status, code, headers.get('allow')]).toEqual([405, 'METHOD_NOT_ALLOWED', 'POST'])
    expect((await at.call('POST', `${path}/x`)).headers.get('allow')).toBe('DELETE, GET, HEAD, PUT')
    expect((await at.call('GET', '/api/v1/internal/nowhere')).status).toBe(404)
  })

  test('SQL in a text is stored as text', async () => {
    const hostile = `'; drop table memory.facts; --`
    const { data } = await postFact({ entity_key: hostile, content: hostile, case_id: hostile })
    expect((await at.call('GET', `${path}/${data.id}`)).data.content).toBe(hostile)
    const query = new URLSearchParams({ case_id: `x' or '1'='1` })
    const listed = await at.call('GET', `/api/v1/internal/memory/users/7/facts?${query}`)
    expect(listed.data.total).toBe(0)
  })
})

describe('reading, editing, deleting', () => {
  test('reading, updating or deleting a fact of another organization is 404', async () => {
    const { data } = await postFact()
    const headers = { 'x-organization-id': 'other' }
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', { content: 'x' }],
      ['DELETE', undefined],
    ] as const) {
      const answer = await at.call(method, `${path}/${data.id}`, { body, headers })
      expect([answer.status, answer.code]).toEqual([404, 'NOT_FOUND'])
    }
    expect((await at.call('GET', `${path}/${data.id}`)).data).toEqual(data)
  })

  test('an unknown id is 404', async () => {
    for (const id of ['nope', '00000000-0000-7000-8000-000000000000', '%00', "1'or'1"]) {
      expect((await at.call('GET', `${path}/${id}`)).status).toBe(404)
    }
  })

  test('an update changes the given fields, records no conflict and increments the version', async () => {
    const { data: before } = await postFact({ metadata: { page: 1 } })
    const { status, data } = await at.call('PUT', `${path}/${before.id}`, {
      body: { content: '更正' },
    })
    expect(status).toBe(200)
    expect(data).toEqual({ ...before, content: '更正', version: 2, updated_at: data.updated_at })
    const nulled = await at.call('PUT', `${path}/${before.id}`, { body: { value: null } })
    expect(nulled.data).toMatchObject({ value: null, content: '更正', version: 3 })
  })

  test('an update may repeat identity fields but not change them', async () => {
    const { data: before } = await postFact()
    const response = await at.call('PUT', `${path}/${before.id}`, {
      body: { ...before, user_id: 7 },
    })
    expect(response.status).toBe(200)
    const changed = { user_id: 8, scope: 'global', case_id: null, entity_key: 'x', tenant_id: 'b' }
    for (const [member, value] of Object.entries(changed)) {
      const answer = await at.call('PUT', `${path}/${before.id}`, { body: { [member]: value } })
      expect([answer.status, answer.data.issues[0].path]).toEqual([400, member])
    }
  })

  test('If-Match with a stale version changes nothing', async () => {
    const { data } = await postFact()
    const edit = (version: string, content: string) =>
      at.call('PUT', `${path}/${data.id}`, { body: { content }, headers: { 'if-match': version } })
    expect((await edit('"1"', 'first')).status).toBe(200)
    for (const stale of ['"1"', '"99"', '"abc"']) {
      const answer = await edit(stale, 'second')
      expect([answer.status, answer.code]).toEqual([409, 'VERSION_CONFLICT'])
    }
    const headers = { 'if-match': '"1"' }
    expect((await at.call('DELETE', `${path}/${data.id}`, { headers })).status).toBe(409)
    expect((await at.call('GET', `${path}/${data.id}`)).data.content).toBe('first')
    expect((await edit('*', 'any')).status).toBe(200)
  })

  test('deleting a fact deletes its conflicts; a second delete is 404', async () => {
    const fact = newFact({ user_id: 'forgotten' })
    const { data } = await at.call('POST', path, { body: fact })
    await at.call('POST', path, { body: { ...fact, content: 'other' } })
    expect((await at.call('DELETE', `${path}/${data.id}`)).data).toEqual({ deleted: true })
    expect((await at.call('DELETE', `${path}/${data.id}`)).status).toBe(404)
    const conflicts = await at.call('GET', '/api/v1/internal/memory/users/forgotten/conflicts')
    expect(conflicts.data.total).toBe(0)
  })
})

describe('concurrent writers', () => {
  test('concurrent writers of one key create one fact and store every other content as a conflict', async () => {
    const fact = newFact({ user_id: 'contended' })
    const writers = Array.from({ length: 30 }, (_, writer) => `content ${writer % 10}`)
    const responses = await Promise.all(
      writers.map((content) => at.call('POST', path, { body: { ...fact, content } })),
    )
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(29)
    expect(new Set(responses.map(({ data }) => data.id)).size).toBe(1)
    const { data } = await at.call('GET', `${path}/${responses[0]!.data.id}`)
    const { data: conflicts } = await at.call(
      'GET',
      '/api/v1/internal/memory/users/contended/conflicts',
    )
    expect(conflicts.total).toBe(data.version - 1)
  })

  test('of concurrent updates with one If-Match version one succeeds', async () => {
    const { data } = await postFact()
    const edits = Array.from({ length: 10 }, (_, n) =>
      at.call('PUT', `${path}/${data.id}`, {
        body: { content: `${n}` },
        headers: { 'if-match': '"1"' },
      }),
    )
    const statuses = (await Promise.all(edits)).map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array.from({ length: 9 }, () => 409)])
  })
})

describe('Idempotency-Key', () => {
  test('the same key and body return the first response, another body is 409', async () => {
    const body = newFact()
    const headers = { 'idempotency-key': 'once' }
    const first = await at.call('POST', path, { body, headers })
    await at.call('PUT', `${path}/${first.data.id}`, { body: { content: 'edited since' } })
    const again = await at.call('POST', path, { body, headers })
    expect([again.status, again.data]).toEqual([201, first.data])
    expect(again.headers.get('etag')).toBe('"1"')
    const other = await at.call('POST', path, { body: { ...body, content: 'x' }, headers })
    expect([other.status, other.code]).toEqual([409, 'CONFLICT'])
    const elsewhere = { ...headers, 'x-organization-id': 'other' }
    expect((await at.call('POST', path, { body, headers: elsewhere })).status).toBe(201)
  })

  test('concurrent duplicates wait for the first request', async () => {
    const body = newFact()
    const headers = { 'idempotency-key': 'together' }
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => at.call('POST', path, { body, headers })),
    )
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]))
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1)
  })

  test('a failed request does not consume the key', async () => {
    const headers = { 'idempotency-key': 'refused' }
    const body = newFact({ category: 'gossip' })
    expect((await at.call('POST', path, { body, headers })).status).toBe(400)
    expect((await at.call('POST', path, { body: newFact(), headers })).status).toBe(201)
  })

  test('the key expires after a day', async () => {
    const headers = { 'idempotency-key': 'old' }
    await at.call('POST', path, { body: newFact(), headers })
    await at.sql`update memory.idempotency_keys set created_at = now() - interval '25 hours' where key = 'old'`
    expect((await at.call('POST', path, { body: newFact(), headers })).status).toBe(201)
  })
})
