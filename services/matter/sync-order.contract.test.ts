import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MatterStage, stageMatter } from '../../tests/support/matter.ts'
import {
  applySync,
  type MatterModel,
  newModel,
  readModel,
  type SyncBody,
} from '../../tests/support/matter-model.ts'

let at: MatterStage
beforeAll(async () => {
  at = await stageMatter()
})
afterAll(() => at.close())

/** Syncs of one engine run: disjoint sections, each with its own key. */
// JSON has no -0.
const value = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)))
const parts = fc
  .uniqueArray(fc.tuple(fc.nat(5), value), { minLength: 2, maxLength: 6, selector: ([n]) => n })
  .map((list): SyncBody[] =>
    list.map(([n, value]) => ({
      sync_key: `part-${n}`,
      profile: { [`p${n}`]: value },
      data: { shared: { [`m${n}`]: value }, [`s${n}`]: { told: value } },
      phases: [{ phase_id: `phase-${n}`, order_num: n, status: 'COMPLETED' }],
      todos: [{ todo_key: `todo-${n}` }],
      complete_todos: [{ todo_key: `todo-${n}`, result: n }],
      deliverables: [{ deliverable_key: `d-${n}`, file_id: `f-${n}` }],
      facts: [{ entity_key: `e-${n}`, content: `fact ${n}` }],
    })),
  )

test('repeated, reordered and concurrent syncs result in the same matter', async () => {
  const delivery = parts.chain((list) =>
    fc.record({
      list: fc.constant(list),
      /** Batches of concurrent syncs; every sync occurs at least once. */
      waves: fc
        .array(fc.subarray(list), { maxLength: 4 })
        .chain((waves) =>
          fc.shuffledSubarray(list, { minLength: list.length }).map((all) => [...waves, all]),
        ),
    }),
  )
  await fc.assert(
    fc.asyncProperty(delivery, async ({ list, waves }) => {
      const { id } = await at.createMatter({ title: 'T0' })
      const applied = new Set<string>()
      for (const wave of waves) {
        const responses = await Promise.all([...wave, ...wave].map((part) => at.sync(id, part)))
        responses.forEach(({ status, data }, index) => {
          expect(status).toBe(200)
          const key = [...wave, ...wave][index]!.sync_key!
          if (data.applied) expect(applied.has(key)).toBe(false)
          if (data.applied) applied.add(key)
        })
      }
      expect(applied.size).toBe(list.length)
      const inTurn = list.reduce<MatterModel>(
        (model, part) => applySync(model, part) as MatterModel,
        newModel('T0'),
      )
      expect(await readModel(at, id)).toEqual(inTurn)
    }),
    { numRuns: 12 },
  )
})
