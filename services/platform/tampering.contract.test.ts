import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, stage } from '../../tests/support/stage.ts'
import { newId } from '../_kit/ids.ts'
import { json } from '../_kit/sql/sql.ts'
import { type AuditEntry, hashEntry } from './audit-chain.ts'
import platform from './service.ts'

let at: Stage
beforeAll(async () => {
  at = await stage(platform, { headers: { 'x-permissions': 'platform:manage' } })
  // An attacker with database access can disable the trigger.
  await at.sql`alter table platform.audit_logs disable trigger user`
})
afterAll(() => at.close())

let organizations = 0
const entry = { actor: 'ada', action: 'done', resource: 'r', details: { n: 1 } }

/** Creates an organization with a log of `count` entries, oldest first. */
async function writeLog(size: number, entries: object[] = []) {
  const organization = `org-${++organizations}`
  const headers = { 'x-organization-id': organization }
  const all = Array.from({ length: size }, (_, n) => entries[n] ?? entry)
  for (let n = 0; n < size; n += 500) {
    const body = { entries: all.slice(n, n + 500) }
    await at.call('POST', '/api/v1/internal/platform/audit-logs', { body, headers })
  }
  const { data } = await at.call('GET', '/api/v1/audit-logs?size=200', { headers })
  return { organization, log: data.items.toReversed() as AuditEntry[] }
}

async function verify(organization: string) {
  const headers = { 'x-organization-id': organization }
  return (await at.call('GET', '/api/v1/audit-logs/verify', { headers })).data
}

async function expectBroken(organization: string, id: string, reason: RegExp, checked: number) {
  expect(await verify(organization)).toEqual({
    valid: false,
    checked,
    first_broken: id,
    reason: expect.stringMatching(reason),
  })
}

const insert = (entries: AuditEntry[]) => at.sql`
  insert into platform.audit_logs
  select * from jsonb_populate_recordset(null::platform.audit_logs, ${json(entries)})`

describe('a changed entry is reported', () => {
  test.each(['actor', 'action', 'resource', 'hash'])('by its %s', async (column) => {
    const { organization, log } = await writeLog(4)
    await at.sql.statement(
      `update platform.audit_logs set ${column} = 'x' where id = '${log[2]!.id}'`,
    )
    await expectBroken(organization, log[2]!.id, /does not match the hash/, 3)
  })

  test.each(['{}', '{"n": 2}', '{"n": "1"}', '{"n": 1, "__proto__": 2}', '{"n": [1]}'])(
    'by its details, when they become %s',
    async (details) => {
      const { organization, log } = await writeLog(2)
      const { id } = log[0]!
      await at.sql`update platform.audit_logs set details = ${details}::text::jsonb where id = ${id}`
      await expectBroken(organization, id, /does not match the hash/, 1)
    },
  )

  test('a change of the time by a millisecond is reported', async () => {
    const { organization, log } = await writeLog(2)
    await at.sql`
      update platform.audit_logs set created_at = created_at + interval '1 millisecond'
      where id = ${log[1]!.id}`
    await expectBroken(organization, log[1]!.id, /does not match the hash/, 2)
  })

  test('a changed id is reported with the new id', async () => {
    const { organization, log } = await writeLog(2)
    const id = newId()
    await at.sql`update platform.audit_logs set id = ${id} where id = ${log[0]!.id}`
    await expectBroken(organization, id, /does not match the hash/, 1)
  })

  test('a change with a recomputed hash is reported at the next entry', async () => {
    const { organization, log } = await writeLog(3)
    const forged = { ...log[1]!, actor: 'eve' }
    await at.sql`
      update platform.audit_logs set actor = 'eve', hash = ${await hashEntry(forged)}
      where id = ${forged.id}`
    await expectBroken(organization, log[2]!.id, /prev_hash differs/, 3)
  })

  test('a change with all later hashes recomputed is reported at the last entry', async () => {
    const { organization, log } = await writeLog(3)
    let prev_hash = log[0]!.prev_hash
    for (const each of log) {
      const forged = { ...each, actor: 'eve', prev_hash }
      const hash = await hashEntry(forged)
      await at.sql`
        update platform.audit_logs set actor = 'eve', prev_hash = ${prev_hash}, hash = ${hash}
        where id = ${each.id}`
      prev_hash = hash
    }
    await expectBroken(organization, log[2]!.id, /differs from the head/, 3)
  })
})

describe('a removed entry', () => {
  test.each([0, 1, 2])('removing entry %i is reported at the next entry', async (place) => {
    const { organization, log } = await writeLog(4)
    await at.sql`delete from platform.audit_logs where id = ${log[place]!.id}`
    await expectBroken(organization, log[place + 1]!.id, /is missing/, place + 1)
  })

  test.each([1, 2, 3])(
    'removing the end of the chain, %i entries, reports the last entry',
    async (removed) => {
      const { organization, log } = await writeLog(3)
      const last = log.at(-1)!
      await at.sql`
      delete from platform.audit_logs
      where organization_id = ${organization} and seq > ${3 - removed}`
      await expectBroken(organization, last.id, /is missing/, 3 - removed)
    },
  )
})

describe('an inserted entry', () => {
  const forge = async (like: AuditEntry, change: Partial<AuditEntry>) => {
    const forged = { ...like, id: newId(), ...change }
    return { ...forged, hash: await hashEntry(forged) }
  }

  test('an entry after the head is reported even with valid hashes', async () => {
    const { organization, log } = await writeLog(2)
    const forged = await forge(log[1]!, { seq: 3, prev_hash: log[1]!.hash })
    await insert([forged])
    await expectBroken(organization, forged.id, /after the end/, 3)
  })

  test('an entry inserted into an empty log is reported', async () => {
    const { log } = await writeLog(1)
    const organization = `org-${++organizations}`
    const forged = await forge(log[0]!, { organization_id: organization })
    await insert([forged])
    await expectBroken(organization, forged.id, /after the end/, 1)
  })

  test('an entry inserted in the middle is reported at the first displaced entry', async () => {
    const { organization, log } = await writeLog(3)
    await at.sql`
      update platform.audit_logs set seq = seq + 100
      where organization_id = ${organization} and seq > 1`
    await at.sql`
      update platform.audit_logs set seq = seq - 99
      where organization_id = ${organization} and seq > 1`
    await insert([await forge(log[0]!, { seq: 2, prev_hash: log[0]!.hash })])
    await expectBroken(organization, log[1]!.id, /prev_hash differs/, 3)
  })

  test('an entry of another organization is reported', async () => {
    const ownLog = await writeLog(2)
    const otherLog = await writeLog(1)
    const { id } = ownLog.log[1]!
    await at.sql`
      update platform.audit_logs set organization_id = ${otherLog.organization} where id = ${id}`
    await expectBroken(otherLog.organization, id, /prev_hash differs/, 2)
    await expectBroken(ownLog.organization, id, /is missing/, 1)
  })
})

test('a log of many batches is verified to its end', async () => {
  const { organization } = await writeLog(2_100)
  expect(await verify(organization)).toMatchObject({ valid: true, checked: 2_100 })
  const [changed] = await at.sql`
    update platform.audit_logs set actor = 'eve'
    where organization_id = ${organization} and seq = 2050 returning id`
  await expectBroken(organization, String(changed!.id), /does not match the hash/, 2_050)
})

test('any log is valid and any single change is found', async () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  const entryInput = fc.record({
    actor: text,
    action: text,
    resource: text,
    details: fc.dictionary(text, fc.jsonValue({ maxDepth: 3, stringUnit: 'grapheme' })),
  })
  const changes = ['actor', 'action', 'resource', 'details', 'created_at', 'prev_hash', 'hash']
  const change = fc.constantFrom(...changes, 'remove')
  await fc.assert(
    fc.asyncProperty(
      fc.array(entryInput, { minLength: 1, maxLength: 6 }),
      fc.nat(),
      change,
      async (entries, at, change) => {
        const { organization, log } = await writeLog(entries.length, entries)
        expect(await verify(organization)).toMatchObject({ valid: true, checked: entries.length })
        const place = at % entries.length
        await tamper(log[place]!, change)
        const found = change === 'remove' ? (log[place + 1] ?? log[place]!) : log[place]!
        expect(await verify(organization)).toMatchObject({ valid: false, first_broken: found.id })
      },
    ),
    { numRuns: 40 },
  )
})

async function tamper({ id }: AuditEntry, change: string) {
  if (change === 'remove') return at.sql`delete from platform.audit_logs where id = ${id}`
  const values: Record<string, string> = {
    details: `details || '{"put in": true}'`,
    created_at: "created_at - interval '1 day'",
  }
  const value = values[change] ?? `${change} || ' '`
  return at.sql.statement(`update platform.audit_logs set ${change} = ${value} where id = '${id}'`)
}
