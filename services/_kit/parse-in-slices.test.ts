import { expect, test } from 'vitest'
import * as z from 'zod'
import { parseInSlices } from './parse-in-slices.ts'

const Entry = z.object({
  name: z.string().min(1),
  weight: z.number().default(1),
  tags: z.record(z.string(), z.number()).default({}),
})
const Body = z
  .object({
    entries: z.array(Entry).max(50_000).default([]),
    others: z.array(z.string().trim()).optional(),
    dry_run: z.boolean().default(false),
  })
  .refine(({ entries }) => entries.every(({ weight }) => weight < 9), 'weights are below 9')

const buildEntries = (count: number): object[] =>
  Array.from({ length: count }, (_, n) => ({ name: `n${n}`, tags: { a: n }, unknown: true }))

test.each([
  ['short arrays', { entries: buildEntries(3) }],
  ['long arrays', { entries: buildEntries(1_000), others: Array(300).fill(' x ') }],
  ['no arrays', { dry_run: true }],
  ['a member of another type', { entries: 'none' }],
  ['a value that is no object', [1, 2]],
  ['an array beyond its limit', { entries: buildEntries(50_001) }],
  [
    'a refinement of the whole that fails',
    { entries: [{ name: 'x', weight: 9 }, ...buildEntries(999)] },
  ],
])('the result for %s is that of safeParse', async (_, value) => {
  const expected = Body.safeParse(value)
  const parsed = await parseInSlices(Body, value)
  expect(parsed.success).toBe(expected.success)
  if (parsed.success) expect(parsed.data).toEqual(expected.data)
  else expect(parsed.issues).toEqual(expected.error!.issues)
})

test('issues of elements have the paths of safeParse', async () => {
  const value = { entries: buildEntries(1_000) }
  value.entries[700] = { name: '', tags: { a: 'much' } }
  const parsed = await parseInSlices(Body, value)
  expect(parsed).toEqual({ success: false, issues: Body.safeParse(value).error!.issues })
})

test('other work runs while a long array is parsed', async () => {
  let turns = 0
  let isParsed = false
  const count = () => {
    if (isParsed) return
    turns++
    setImmediate(count)
  }
  setImmediate(count)
  await parseInSlices(Body, { entries: buildEntries(50_000) })
  isParsed = true
  expect(turns).toBeGreaterThan(1)
})
