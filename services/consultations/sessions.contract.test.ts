import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type ConsultationsStage,
  internalPath,
  sessionsPath,
  stageConsultations,
} from '../../tests/support/consultations.ts'

let at: ConsultationsStage
beforeAll(async () => {
  at = await stageConsultations()
})
afterAll(() => at.close())

const none = '019a0000-0000-7000-8000-000000000000'

describe('a session', () => {
  test('is created, read, listed and updated', async () => {
    const body = {
      title: 'Loan to Li',
      service_type_id: 3,
      file_ids: ['f', 'f'],
      playbook_config: 1,
    }
    const { status, data, headers } = await at.post(sessionsPath, body)
    expect(status).toBe(201)
    expect(headers.get('etag')).toBe('"1"')
    expect(data).toMatchObject({
      title: 'Loan to Li',
      service_type_id: '3',
      file_ids: ['f'],
      matter_id: null,
      status: 'ACTIVE',
      thread_id: `consultation:${data.id}`,
      user_id: 'u-1',
      organization_id: 'acme',
      last_message_at: null,
      version: 1,
    })
    expect(await at.read(`${sessionsPath}/${data.id}`)).toEqual(data)
    expect(await at.read(`${internalPath}/${data.id}`)).toEqual(data)
    const { items, total } = await at.read(`${sessionsPath}?q=loan%20TO`)
    expect({ items, total }).toEqual({ items: [data], total: 1 })

    const patched = await at.call('PATCH', `${sessionsPath}/${data.id}`, {
      body: { title: 'Other' },
    })
    expect(patched.data).toMatchObject({ title: 'Other', service_type_id: '3', version: 2 })
    const replaced = await at.call('PUT', `${sessionsPath}/${data.id}`, {
      body: { file_ids: ['g'] },
    })
    expect(replaced.data).toMatchObject({ title: null, service_type_id: null, file_ids: ['g'] })
    const stale = await at.call('PATCH', `${sessionsPath}/${data.id}`, {
      body: { title: 'Late' },
      headers: { 'if-match': '"1"' },
    })
    expect(stale).toMatchObject({ status: 409, code: 'VERSION_CONFLICT', data: { version: 3 } })
  })

  test('that is archived allows reads and rejects writes with 409', async () => {
    const { id } = await at.open({ title: 'Old' })
    await at.chat(id, 'hello')
    const gone = await at.call('DELETE', `${sessionsPath}/${id}`)
    expect(gone.data).toMatchObject({ status: 'ARCHIVED', version: 2 })
    expect((await at.call('DELETE', `${sessionsPath}/${id}`)).data).toEqual(gone.data)
    expect(await at.messages(id)).toHaveLength(2)
    expect(
      (await at.read(`${sessionsPath}?status=ARCHIVED`)).items.map((each: any) => each.id),
    ).toEqual([id])
    const refused = { status: 409, code: 'SESSION_ARCHIVED' }
    expect(await at.chat(id, 'more')).toMatchObject(refused)
    expect(await at.resume(id, [])).toMatchObject(refused)
    expect(await at.call('PATCH', `${sessionsPath}/${id}`, { body: {} })).toMatchObject(refused)
  })

  test('is created once per Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'k-1' }
    const [one, two] = await Promise.all([
      at.post(sessionsPath, { title: 'Once' }, headers),
      at.post(sessionsPath, { title: 'Once' }, headers),
    ])
    expect(one.data).toEqual(two.data)
  })

  test('is visible to its client and to staff of the organization only', async () => {
    const { id } = await at.open()
    const status = async (headers: Record<string, string | undefined>) =>
      (await at.call('GET', `${sessionsPath}/${id}`, { headers })).status
    expect(await status({})).toBe(200)
    expect(await status({ 'x-user-id': 'u-2' })).toBe(404)
    expect(await status({ 'x-user-id': 'u-2', 'x-user-type': 'lawyer' })).toBe(200)
    expect(await status({ 'x-user-id': 'u-2', 'x-user-type': undefined })).toBe(404)
    expect(await status({ 'x-user-type': 'lawyer', 'x-organization-id': 'other' })).toBe(404)
    expect(await status({ 'x-user-id': undefined })).toBe(401)
    const inside = { 'x-organization-id': 'other' }
    expect((await at.call('GET', `${internalPath}/${id}`, { headers: inside })).status).toBe(404)
    expect((await at.read(`${sessionsPath}/${none}`)) ?? null).toBeNull()
  })

  test('takes the identity from the query when the headers are absent', async () => {
    const headers = { 'x-user-id': undefined, 'x-organization-id': undefined }
    const who = '?user_id=77&organization_id=acme'
    const { status, data } = await at.call('POST', sessionsPath + who, { body: {}, headers })
    expect(status).toBe(201)
    expect(data).toMatchObject({ user_id: '77', organization_id: 'acme' })
    expect((await at.call('GET', `${sessionsPath}/${data.id}${who}`, { headers })).data).toEqual(
      data,
    )
    expect((await at.call('GET', `${sessionsPath}/${data.id}`, { headers })).status).toBe(401)
    const response = await at.call('POST', `${sessionsPath}/${data.id}/chat${who}`, {
      body: { content: 'hello' },
      headers,
    })
    expect(response.status).toBe(200)
  })
})

describe('messages', () => {
  test('of the assistant are created once per dedupe_key', async () => {
    const { id } = await at.open()
    const body = { content: 'Done.', metadata: { a: { playbook_config: 1 } }, dedupe_key: 'k' }
    const add = () => at.post(`${internalPath}/${id}/messages/assistant`, body)
    const answers = await Promise.all([add(), add(), add()])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201])
    expect(answers[0]!.data).toMatchObject({ role: 'ASSISTANT', seq: 1, metadata: { a: {} } })
    await at.chat(id, 'hello')
    const { messages } = await at.read(`${internalPath}/${id}/messages/recent?limit=2`)
    expect(messages.map(({ seq }: any) => seq)).toEqual([2, 3])
    const page = await at.read(`${sessionsPath}/${id}/messages?size=2&page=2`)
    expect(page).toMatchObject({ total: 3, total_pages: 2, items: [{ seq: 3 }] })
  })
})
