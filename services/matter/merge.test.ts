import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from '../_kit/hash.ts'
import {
  applyKeyedPatches,
  diffMembers,
  isEqual,
  isObject,
  mergePatch,
  mergeSections,
  union,
} from './merge.ts'

const names = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', '')
const leaf = fc.jsonValue({ maxDepth: 1 })
const members = fc.dictionary(names, leaf)
const sections = fc.dictionary(names, fc.oneof(members, leaf))

test('isEqual agrees with canonical JSON', () => {
  const shuffleKeys = (value: unknown): unknown =>
    isObject(value)
      ? Object.fromEntries(
          Object.entries(value)
            .reverse()
            .map(([name, each]) => [name, shuffleKeys(each)]),
        )
      : Array.isArray(value)
        ? value.map(shuffleKeys)
        : value
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, two) => {
      expect(isEqual(one, two)).toBe(canonicalJson(one) === canonicalJson(two))
      expect(isEqual(one, shuffleKeys(one))).toBe(true)
    }),
  )
  expect(isEqual({ a: 1 }, { a: 1, b: null })).toBe(false)
  expect(isEqual({ constructor: 1 }, { a: 1 })).toBe(false)
  expect([
    isEqual([], {}),
    isEqual(null, {}),
    isEqual(0, '0'),
    isEqual([1, 2], [2, 1]),
  ]).not.toContain(true)
})

describe('mergePatch', () => {
  test('the result has the patch members, without nulls, and the other existing members', () => {
    fc.assert(
      fc.property(members, members, (before, patch) => {
        const after = mergePatch(before, patch)
        for (const name of union(Object.keys(before), Object.keys(patch))) {
          const expected = Object.hasOwn(patch, name) ? patch[name] : before[name]
          const gone = Object.hasOwn(patch, name) && patch[name] === null
          expect(Object.hasOwn(after, name)).toBe(!gone)
          if (!gone) expect(after[name]).toEqual(expected)
        }
        expect(Object.getPrototypeOf(after)).toBe(Object.prototype)
      }),
    )
  })

  test.each([
    ['members', mergePatch],
    ['sections', mergeSections],
  ])('of %s told twice is the same as once', (_, merge) => {
    fc.assert(
      fc.property(sections, sections, (before, patch) => {
        const merged = merge(before, patch)
        expect(isEqual(merge(merged, patch), merged)).toBe(true)
      }),
    )
  })

  test.each([
    ['members', mergePatch],
    ['sections', mergeSections],
  ])('of %s changes neither side', (_, merge) => {
    fc.assert(
      fc.property(sections, sections, (before, patch) => {
        const texts = JSON.stringify([before, patch])
        merge(before, patch)
        expect(JSON.stringify([before, patch])).toBe(texts)
      }),
    )
  })

  test('patches of disjoint members commute', () => {
    const left = fc.dictionary(fc.constantFrom('a', 'b'), leaf)
    const right = fc.dictionary(fc.constantFrom('c', 'd'), leaf)
    fc.assert(
      fc.property(members, left, right, (before, left, right) => {
        const [one, two] = [
          mergePatch(mergePatch(before, left), right),
          mergePatch(mergePatch(before, right), left),
        ]
        expect(isEqual(one, two)).toBe(true)
      }),
    )
  })
})

test('sections merge if both are objects and are replaced otherwise', () => {
  fc.assert(
    fc.property(sections, sections, (before, patch) => {
      const after = mergeSections(before, patch)
      for (const [name, section] of Object.entries(patch)) {
        const there = Object.hasOwn(before, name) ? before[name] : undefined
        if (section === null) expect(Object.hasOwn(after, name)).toBe(false)
        else if (isObject(section)) {
          expect(isEqual(after[name], mergePatch(isObject(there) ? there : {}, section))).toBe(true)
        } else expect(after[name]).toEqual(section)
      }
    }),
  )
})

test('union keeps each value once in order of first occurrence', () => {
  expect(union(['b', 'a'], ['c', 'a', 'c'])).toEqual(['b', 'a', 'c'])
})

describe('applyKeyedPatches', () => {
  type KeyedPatch = { key: string; a?: number; b?: number }
  const next = (before: KeyedPatch | undefined, patch: KeyedPatch) => ({
    a: 0,
    b: 0,
    ...before,
    ...patch,
  })
  const applyPatch = (before: ReadonlyMap<string, KeyedPatch>, patch: KeyedPatch[]) =>
    applyKeyedPatches(before, patch, ({ key }) => key, next)

  test('later members of a repeated key win and changed states are returned', () => {
    const before = new Map([['x', { key: 'x', a: 1, b: 1 }]])
    const patch = [
      { key: 'x', a: 5, b: 1 },
      { key: 'y', b: 2 },
      { key: 'x', a: 1 },
    ]
    const { after, changed } = applyPatch(before, patch)
    expect([...changed]).toEqual([['y', { key: 'y', a: 0, b: 2 }]])
    expect([...after.keys()]).toEqual(['x', 'y'])
    expect(before.size).toBe(1)
  })

  test('applying the same patches twice changes nothing', () => {
    const one = fc.record(
      { key: fc.constantFrom('x', 'y'), a: fc.nat(2), b: fc.nat(2) },
      { requiredKeys: ['key'] },
    )
    fc.assert(
      fc.property(fc.array(one), fc.array(one), (first, second) => {
        const merged = applyPatch(applyPatch(new Map(), first).after, second).after
        expect(applyPatch(merged, second).changed.size).toBe(0)
      }),
    )
  })
})

test('diffMembers returns the members that differ', () => {
  expect(
    diffMembers({ a: 1, b: { c: 1, d: 2 }, e: [1] }, { a: 1, b: { c: 3, d: 2 }, f: 'x' }, 1),
  ).toEqual({ from: { b: { c: 1 }, e: [1], f: null }, to: { b: { c: 3 }, e: null, f: 'x' } })
  fc.assert(
    fc.property(sections, sections, fc.nat(3), (one, two, depth) => {
      const { from, to } = diffMembers(one, two, depth)
      const strip = (value: object) => mergePatch({}, { ...value })
      const equal = isEqual(strip(one), strip(two))
      expect(Object.keys(to).length === 0).toBe(equal)
      expect(Object.keys(from)).toEqual(Object.keys(to))
    }),
  )
})
