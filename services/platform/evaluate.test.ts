import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isEnabledFor, type Rule, type Subject } from './evaluate.ts'

const flag = (rules: Rule[], enabled = true, key = 'new-chat') => ({ key, enabled, rules })

const id = fc.constantFrom('a', 'b', 'c', 'd')
const ids = fc.option(fc.array(id, { maxLength: 3 }), { nil: undefined })
const percentage = fc.double({ min: 0, max: 100, noNaN: true })
const rule: fc.Arbitrary<Rule> = fc.record({
  organization_ids: ids,
  user_ids: ids,
  percentage: fc.option(percentage, { nil: undefined }),
})
const rules = fc.array(rule, { maxLength: 4 })
const optional = fc.option(id, { nil: undefined })
const subject: fc.Arbitrary<Subject> = fc.record({ user_id: optional, organization_id: optional })

describe('a flag', () => {
  test('an enabled flag without rules is on for everyone', () => {
    expect(isEnabledFor(flag([]), {})).toBe(true)
    expect(isEnabledFor(flag([], false), { user_id: 'a' })).toBe(false)
  })

  test('a disabled flag is off for any rules', () => {
    fc.assert(fc.property(rules, subject, (rules, who) => !isEnabledFor(flag(rules, false), who)))
  })

  test('a flag is on if one rule alone would turn it on', () => {
    fc.assert(
      fc.property(fc.array(rule, { minLength: 1, maxLength: 4 }), subject, (rules, who) => {
        const results = rules.map((each) => isEnabledFor(flag([each]), who))
        expect(isEnabledFor(flag(rules), who)).toBe(results.includes(true))
      }),
    )
  })

  test('a rule matches if each member alone would match', () => {
    fc.assert(
      fc.property(rule, subject, (rule, who) => {
        const members = (Object.keys(rule) as (keyof Rule)[]).filter(
          (each) => rule[each] !== undefined,
        )
        const results = members.map((member) =>
          isEnabledFor(flag([{ [member]: rule[member] }]), who),
        )
        expect(isEnabledFor(flag([rule]), who)).toBe(!results.includes(false))
      }),
    )
  })

  test('evaluation is deterministic', () => {
    fc.assert(
      fc.property(rules, subject, (rules, who) => {
        expect(isEnabledFor(flag(rules), who)).toBe(
          isEnabledFor(flag(structuredClone(rules)), { ...who }),
        )
      }),
    )
  })
})

describe('a list of ids', () => {
  test('an id list matches exactly its ids', () => {
    expect(isEnabledFor(flag([{ user_ids: ['7'] }]), { user_id: '7' })).toBe(true)
    expect(isEnabledFor(flag([{ user_ids: ['7'] }]), { user_id: '8' })).toBe(false)
    expect(isEnabledFor(flag([{ user_ids: ['7'] }]), { organization_id: '7' })).toBe(false)
    expect(isEnabledFor(flag([{ organization_ids: ['7'] }]), {})).toBe(false)
    expect(isEnabledFor(flag([{ organization_ids: [] }]), { organization_id: '7' })).toBe(false)
  })
})

describe('a percentage', () => {
  const on = (share: number, who: Subject, key?: string) =>
    isEnabledFor(flag([{ percentage: share }], true, key), who)

  test('a growing percentage keeps subjects that were on', () => {
    fc.assert(
      fc.property(percentage, percentage, fc.string(), (one, other, user_id) => {
        const [low, high] = [Math.min(one, other), Math.max(one, other)]
        if (on(low, { user_id })) expect(on(high, { user_id })).toBe(true)
      }),
    )
  })

  test('0 matches nobody and 100 everyone', () => {
    fc.assert(
      fc.property(subject, (who) => {
        expect([on(0, who), on(100, who)]).toEqual([false, true])
      }),
    )
  })

  test('the percentage uses the user, then the organization, else it does not match', () => {
    fc.assert(
      fc.property(percentage, fc.string(), fc.string(), (share, user, organization) => {
        const user_id = `u${user}`
        const organization_id = `o${organization}`
        expect(on(share, { user_id, organization_id })).toBe(on(share, { user_id }))
        expect(on(share, { organization_id })).toBe(on(share, { user_id: organization_id }))
        expect(on(Math.min(share, 99.99), {})).toBe(false)
      }),
    )
  })

  test.each([1, 10, 50, 90])('%i percent matches about that share of users', (share) => {
    const users = Array.from({ length: 20_000 }, (_, n) => `user-${n}`)
    const matched = users.filter((user_id) => on(share, { user_id })).length
    expect(matched / 200).toBeGreaterThan(share - 1.5)
    expect(matched / 200).toBeLessThan(share + 1.5)
  })

  test('another flag selects other users', () => {
    const users = Array.from({ length: 1_000 }, (_, n) => `user-${n}`)
    const both = users.filter(
      (user_id) => on(50, { user_id }, 'one') && on(50, { user_id }, 'other'),
    ).length
    expect(both).toBeGreaterThan(150)
    expect(both).toBeLessThan(350)
  })
})
