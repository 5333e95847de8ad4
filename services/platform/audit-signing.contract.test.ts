import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, stage } from '../../tests/support/stage.ts'
import { hashEntry } from './audit-chain.ts'
import { makeSigner } from './audit-signing.ts'
import { verifyExport } from './cli/verify-export.ts'
import platform from './service.ts'

const secret = 'an HMAC secret of more than 32 characters'
const logs = '/api/v1/audit-logs'
const admin = { 'x-is-superuser': 'true' }

let at: Stage
beforeAll(async () => {
  at = await stage(platform, { env: { AUDIT_SIGNING_KEY: secret }, headers: admin })
})
afterAll(() => at.close())

const appendTo = async (organization: string, count: number, on = at) => {
  const headers = { 'x-organization-id': organization }
  for (let n = 0; n < count; n++) {
    const entries = [{ actor: 'a', action: 'act', resource: `r${n}`, details: { n } }]
    await on.call('POST', '/api/v1/internal/platform/audit-logs', { body: { entries }, headers })
  }
}
const readExport = async (organization: string, on = at) =>
  (await on.call('GET', `${logs}/export`, { headers: { 'x-organization-id': organization } })).text
async function* splitLines(text: string) {
  yield* text.split('\n')
}

describe('batches', () => {
  const readEntries = async (actor: string) => {
    const headers = { 'x-organization-id': undefined }
    const { data } = await at.call('GET', `${logs}?actor=${actor}&size=200`, { headers })
    return data.items.map(({ action, resource, details }: any) => ({ action, resource, details }))
  }
  const send = (path: string, actor: string, body: object) =>
    at.call('POST', `/api/v1/internal/platform/${path}/batch`, {
      body,
      headers: { 'x-user-id': actor },
    })

  test('every changed config is audited with its actor and seed package', async () => {
    const source = { package_id: 'defaults', version: '1.0.0' }
    const configs = [
      { key: 'b.one', value: 'secret' },
      { key: 'b.two', value: 2 },
    ]
    await send('configs', 'seeder', { configs, dry_run: true, source })
    expect(await readEntries('seeder')).toEqual([])
    await send('configs', 'seeder', { configs, source })
    await send('configs', 'seeder', { configs: [{ key: 'b.one', value: 3 }, configs[1]] })
    expect(await readEntries('seeder')).toEqual([
      { action: 'config.updated', resource: 'config:b.one', details: { version: 2 } },
      { action: 'config.created', resource: 'config:b.two', details: { version: 1, source } },
      { action: 'config.created', resource: 'config:b.one', details: { version: 1, source } },
    ])
  })

  test('every changed flag and tag is audited with its actor', async () => {
    await send('feature-flags', 'flagger', { flags: [{ key: 'b.flag' }] })
    await send('feature-flags', 'flagger', { flags: [{ key: 'b.flag', enabled: true }] })
    expect((await readEntries('flagger')).map(({ action }: any) => action)).toEqual([
      'feature_flag.updated',
      'feature_flag.created',
    ])
    const body = {
      tag_groups: [{ key: 'b.group', name: 'G' }],
      tags: [{ key: 'b.tag', name: 'T', group_key: 'b.group' }],
      domains: [{ key: 'b.domain', name: 'D' }],
    }
    await send('tags', 'tagger', { ...body, dry_run: true })
    await send('tags', 'tagger', body)
    await send('tags', 'tagger', body)
    expect((await readEntries('tagger')).map(({ action }: any) => action)).toEqual([
      'domain.created',
      'tag.created',
      'tag_group.created',
    ])
  })

  test('a rejected batch records no entry', async () => {
    const tags = [{ key: 'b.bad', name: 'T', group_key: 'b.unknown' }]
    expect((await send('tags', 'rejected', { tags })).status).toBe(400)
    expect(await readEntries('rejected')).toEqual([])
  })
})

describe('checkpoints', () => {
  test('the head is signed once and listed', async () => {
    await appendTo('signed', 3)
    const headers = { 'x-organization-id': 'signed' }
    const first = await at.call('POST', `${logs}/checkpoints`, { headers })
    expect([first.status, first.data.seq, first.data.algorithm]).toEqual([201, 3, 'HMAC-SHA-256'])
    const again = await at.call('POST', `${logs}/checkpoints`, { headers })
    expect([again.status, again.data]).toEqual([200, first.data])
    const { data } = await at.call('GET', `${logs}/checkpoints`, { headers })
    expect(data.items).toEqual([first.data])
  })

  test('a rewritten log and head contradict the checkpoint', async () => {
    await appendTo('rewritten', 3)
    const headers = { 'x-organization-id': 'rewritten' }
    await at.call('POST', `${logs}/checkpoints`, { headers })
    expect((await at.call('GET', `${logs}/verify`, { headers })).data.valid).toBe(true)
    const { data } = await at.call('GET', logs, { headers })
    const last = { ...data.items[0], actor: 'eve' }
    const hash = await hashEntry(last)
    await at.sql`alter table platform.audit_logs disable trigger append_only`
    await at.sql`update platform.audit_logs set actor = 'eve', hash = ${hash} where id = ${last.id}`
    await at.sql`alter table platform.audit_logs enable trigger append_only`
    await at.sql`update platform.audit_heads set hash = ${hash} where organization_id = 'rewritten'`
    const verdict = (await at.call('GET', `${logs}/verify`, { headers })).data
    expect(verdict).toMatchObject({ valid: false, first_broken: last.id })
    expect(verdict.reason).toContain('checkpoint')
  })

  test('without a key checkpoints are 409 and the export has none', async () => {
    const unsigned = await stage(platform, { headers: admin })
    await appendTo('acme', 2, unsigned)
    const { status, code } = await unsigned.call('POST', `${logs}/checkpoints`)
    expect([status, code]).toEqual([409, 'CONFLICT'])
    const verdict = await verifyExport(splitLines(await readExport('acme', unsigned)), [])
    expect(verdict).toMatchObject({ valid: true, entries: 2, checkpoints: 0 })
    await unsigned.close()
  })
})

describe('an exported chain', () => {
  let text: string
  beforeAll(async () => {
    await appendTo('exported', 5)
    text = await readExport('exported')
  })
  const verify = (lines: string[], ...keys: string[]) =>
    verifyExport(splitLines(lines.join('\n')), keys.length > 0 ? keys : [secret])

  test('is valid with the key and invalid with another', async () => {
    const expected = { valid: true, entries: 5, signedEntries: 5, checkpoints: 1 }
    expect(await verify([text])).toMatchObject(expected)
    expect(await verify([text], `${secret}!`)).toMatchObject({ valid: false })
    expect(await verify([text, 'x'])).toMatchObject({ valid: false })
  })

  test('is invalid when an entry is changed, removed, or the end is cut off', async () => {
    const lines = text.trim().split('\n')
    const changed = lines.map((line) => line.replace('"r2"', '"r9"'))
    const removed = lines.filter((_, index) => index !== 2)
    const cut = lines.filter((_, index) => index !== 4)
    for (const forged of [changed, removed, cut]) {
      expect(await verify(forged)).toMatchObject({ valid: false })
    }
  })

  test('is invalid when it is rewritten and its checkpoints are left out', async () => {
    const rewritten: string[] = []
    let prev_hash = '0'.repeat(64)
    for (const line of text.trim().split('\n')) {
      const { entry } = JSON.parse(line)
      if (!entry) continue
      const forged = { ...entry, actor: 'eve', prev_hash }
      prev_hash = await hashEntry(forged)
      rewritten.push(JSON.stringify({ entry: { ...forged, hash: prev_hash } }))
    }
    expect(await verifyExport(splitLines(rewritten.join('\n')), [])).toMatchObject({ valid: true })
    expect(await verify(rewritten)).toMatchObject({
      valid: false,
      problem: 'No checkpoint signs the entries after 0.',
    })
  })

  test('has no entry after its last checkpoint, although the chain grows', async () => {
    await appendTo('growing', 3)
    await at.sql`update platform.audit_heads set seq = 2, hash = (
        select hash from platform.audit_logs where organization_id = 'growing' and seq = 2)
      where organization_id = 'growing'`
    const signedEntries = { valid: true, entries: 2, signedEntries: 2 }
    expect(await verify([await readExport('growing')])).toMatchObject(signedEntries)
  })

  test('is valid after a rotation of the key with both keys only', async () => {
    const former = 'the HMAC secret that was used before, long enough'
    const [checkpoint] = text.split('\n').filter((line) => line.startsWith('{"checkpoint"'))
    const { organization_id, seq, hash, created_at } = JSON.parse(checkpoint!).checkpoint
    const unsigned = { organization_id, seq, hash, created_at }
    const resigned = JSON.stringify({ checkpoint: await makeSigner(former).sign(unsigned) })
    expect(await verify([text, resigned], secret, former)).toMatchObject({ valid: true })
    const { valid, problem } = await verify([text, resigned], secret)
    expect([valid, problem]).toEqual([false, expect.stringContaining('which was not given')])
  })

  test('an Ed25519 signature is verified with the public key', async () => {
    const pair = (await crypto.subtle.generateKey('Ed25519', true, [
      'sign',
      'verify',
    ])) as CryptoKeyPair
    const der = new Uint8Array(await crypto.subtle.exportKey('pkcs8', pair.privateKey))
    const key = `-----BEGIN PRIVATE KEY-----\n${btoa(String.fromCharCode(...der))}\n-----END PRIVATE KEY-----`
    const other = await stage(platform, { env: { AUDIT_SIGNING_KEY: key }, headers: admin })
    await appendTo('acme', 2, other)
    const exported = await readExport('acme', other)
    const { public_key } = JSON.parse(exported.trim().split('\n').at(-1)!)
    expect(await verify([exported], public_key)).toMatchObject({ valid: true, signedEntries: 2 })
    expect(await verify([exported], secret)).toMatchObject({ valid: false })
    await other.close()
  })
})

test('a chain of more than 100,000 entries is verified by one job', async () => {
  await appendTo('long', 2)
  await at.sql`update platform.audit_heads set seq = 100001 where organization_id = 'long'`
  const headers = { 'x-organization-id': 'long' }
  const verify = () => at.call('GET', `${logs}/verify`, { headers })
  const [one, two] = await Promise.all([verify(), verify()])
  expect([one.status, two.data]).toEqual([202, one.data])
  const result = () => at.call('GET', `${logs}/verify/${one.data.job_id}`, { headers })
  expect((await result()).data.status).toBe('PENDING')
  while ((await at.tick()) > 0);
  expect((await result()).data).toMatchObject({
    status: 'SUCCEEDED',
    result: { valid: false, checked: 2 },
  })
  const foreign = { headers: { 'x-organization-id': 'other' } }
  const path = `${logs}/verify/${one.data.job_id}`
  expect((await at.call('GET', path, foreign)).status).toBe(404)
})
