import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { seedProfiles } from '../../../../tests/support/seed-causes.ts'
import { hash32 } from '../../../_kit/hash.ts'
import { CauseProfile } from '../../causes/cause-profile.ts'
import { clearCause, rankCauses } from '../../causes/rank-causes.ts'
import { clientRoleIn } from '../_shared/client-role.ts'
import { readMessage } from '../_shared/read-message.ts'
import { detectArea } from './area.ts'

interface FirstMessage {
  text: string
  reading: 'case' | 'question' | 'small_talk' | 'service'
  cause?: string | null
  role?: 'claimant' | 'respondent'
}

const messages: FirstMessage[] = readFileSync('tests/fixtures/first-messages.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))
const causes = seedProfiles().map((profile) => CauseProfile.parse(profile))

const causeOf = (text: string) =>
  detectArea(text) ? null : (clearCause(rankCauses(text, causes)) ?? null)

/** Rules are tuned on the messages with an even hash; the others are held out. */
const halves: [string, FirstMessage[]][] = [
  ['tuned', messages.filter(({ text }) => hash32(text) % 2 === 0)],
  ['held out', messages.filter(({ text }) => hash32(text) % 2 === 1)],
]

const share = <Item>(items: Item[], matches: (item: Item) => boolean) =>
  items.filter(matches).length / items.length

test('the data set has at least 200 messages, each once, in both languages and for both roles', () => {
  expect(messages.length).toBeGreaterThanOrEqual(200)
  expect(new Set(messages.map(({ text }) => text)).size).toBe(messages.length)
  expect(messages.filter(({ text }) => !/\p{Script=Han}/u.test(text)).length).toBeGreaterThan(50)
  expect(messages.filter(({ role }) => role === 'respondent').length).toBeGreaterThan(40)
  const used = new Set(messages.map(({ cause }) => cause))
  for (const { code } of causes) expect(used).toContain(code)
})

describe.each(halves)('the %s half', (_, half) => {
  const cases = half.filter(({ reading }) => reading === 'case')

  test('is read as case, question, small talk or service', () => {
    expect(half.length).toBeGreaterThanOrEqual(100)
    expect(share(half, (m) => readMessage(m.text) === m.reading)).toBeGreaterThanOrEqual(0.93)
  })

  test('gets the cause of action of its cases', () => {
    expect(share(cases, (m) => causeOf(m.text) === m.cause)).toBeGreaterThanOrEqual(0.85)
  })

  test('gets the role of the speaker of its cases', () => {
    expect(share(cases, (m) => clientRoleIn(m.text) === m.role)).toBeGreaterThanOrEqual(0.88)
  })
})

test.each([
  ['我借了10万元给张三，他一直不还', 'private_lending', 'claimant'],
  ['我们公司拖欠员工工资', 'labor_dispute', 'respondent'],
  ['我要求刘三赔偿医疗费：他遛狗不拴绳，把我咬伤了', 'personal_injury', 'claimant'],
  ['朋友借了5万元不还，有借条，怎么办？', 'private_lending', 'claimant'],
])('%s is a case of %s for the %s', (text, cause, role) => {
  expect([readMessage(text), causeOf(text), clientRoleIn(text)]).toEqual(['case', cause, role])
})
