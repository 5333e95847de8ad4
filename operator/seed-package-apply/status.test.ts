import fc from 'fast-check'
import { expect, test } from 'vitest'
import { maxReportedItems, SeedPackageApplyStatus } from '../api/seed-package-apply.ts'
import { propertySeed } from '../testing/property-seed.ts'
import type { Run } from './collector.ts'
import { runResult } from './status.ts'

const text = fc.oneof(
  fc.string({ minLength: 1, maxLength: 20 }),
  fc.string({ minLength: 1000, maxLength: 2000, unit: 'grapheme' }),
)
const count = fc.nat(1_000_000)
const Item = fc.record({
  item_id: text,
  kind: text,
  status: fc.oneof(fc.constantFrom('applied', 'failed'), text),
  counts: fc.record({ created: count, updated: count, unchanged: count, deleted: count }),
  error: fc.option(text),
})
const AnyRun: fc.Arbitrary<Run> = fc.record({
  run_id: fc.uuid(),
  plan_hash: fc.option(fc.string({ maxLength: 64 })),
  status: fc.constantFrom('succeeded', 'failed', 'partial'),
  packages: fc.array(
    fc.record({
      package_id: text,
      version: text,
      checksum: text,
      status: text,
      items: fc.array(Item, { maxLength: 80 }),
    }),
    { maxLength: 3 },
  ),
})

test('any run fits into the status, with failed items first', () => {
  fc.assert(
    fc.property(AnyRun, (run) => {
      const result = runResult(run, new Date())
      expect(SeedPackageApplyStatus.safeParse(result).error).toBeUndefined()
      const items = run.packages.flatMap((each) => each.items)
      const failed = items.filter(({ status }) => status === 'failed').length
      expect(result).toMatchObject({ itemsTotal: items.length, itemsFailed: failed })
      const failedFlags = result.items!.map(({ status }) => status === 'failed')
      expect(failedFlags).toHaveLength(Math.min(items.length, maxReportedItems))
      expect(failedFlags.filter(Boolean)).toHaveLength(Math.min(failed, maxReportedItems))
      expect(failedFlags.slice(0, failed).every(Boolean)).toBe(true)
    }),
    { numRuns: 50, seed: propertySeed },
  )
})
