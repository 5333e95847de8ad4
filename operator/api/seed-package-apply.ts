import * as z from 'zod'
import { atomic, mapKeys, ObjectName, PackageId, rules, Time, text } from './fields.ts'
import type { Resource, Stored } from './resource.ts'
import { Conditions, History, ObservedGeneration } from './status.ts'

export const SeedPackageApplySpec = z
  .object({
    suiteRef: z
      .object({ name: ObjectName.max(40) })
      .describe('The suite, in the same namespace, whose collector-service applies them.'),
    packageIds: z.array(PackageId).min(1).max(32).meta(atomic).describe('Applied in this order.'),
    dryRun: z
      .boolean()
      .optional()
      .describe('Change nothing; say what would change, and a plan hash.'),
    force: z.boolean().optional().describe('Apply what was applied before once more.'),
    expectPlanHash: text(128)
      .optional()
      .describe('The plan hash of a dry run: refused when the plan is another by now.'),
    ttlSecondsAfterFinished: z
      .int()
      .min(0)
      .max(31_536_000)
      .optional()
      .describe('How long it is kept once it is over; for ever if unset.'),
  })
  .meta(
    rules(
      {
        rule: '!(has(self.dryRun) && self.dryRun && has(self.force) && self.force)',
        message: 'a dry run changes nothing, so there is nothing to force',
      },
      {
        rule: '!(has(self.dryRun) && self.dryRun && has(self.expectPlanHash))',
        message: 'expectPlanHash goes with an apply; a dry run is where it comes from',
      },
    ),
  )
export type SeedPackageApplySpec = z.infer<typeof SeedPackageApplySpec>

/** Items that are told of one by one; the rest is with the run, at collector-service. */
export const mostItems = 64

const Item = z.object({
  package: text(128),
  item: text(256),
  kind: text(128),
  status: text(32),
  created: z.int().min(0),
  updated: z.int().min(0),
  unchanged: z.int().min(0),
  deleted: z.int().min(0),
  error: z.string().max(512).optional(),
})

const Package = z.object({
  id: text(128),
  version: z.string().max(64),
  checksum: z.string().max(128),
  status: text(32),
})

export const SeedPackageApplyStatus = z
  .object({
    observedGeneration: ObservedGeneration.optional(),
    phase: z.enum(['Pending', 'Running', 'Succeeded', 'Partial', 'Failed']).optional(),
    conditions: Conditions.optional(),
    runId: text(64)
      .optional()
      .describe('The run at collector-service; chosen before it is asked, and never another.'),
    attempts: z.int().min(0).max(1_000_000).optional(),
    startedAt: Time.optional(),
    finishedAt: Time.optional(),
    planHash: z.string().max(128).optional(),
    packages: z.array(Package).max(32).meta(mapKeys('id')).optional(),
    items: z.array(Item).max(mostItems).meta(atomic).optional(),
    itemsTotal: z.int().min(0).optional(),
    itemsFailed: z.int().min(0).optional(),
    changes: z.string().max(64).optional().describe('Created, updated, deleted: +3 ~1 -0.'),
    history: History.optional(),
  })
  .meta(
    rules({
      rule: '!has(oldSelf.runId) || (has(self.runId) && self.runId == oldSelf.runId)',
      message: 'a run id is chosen once',
    }),
  )
export type SeedPackageApplyStatus = z.infer<typeof SeedPackageApplyStatus>

export type SeedPackageApply = Stored<SeedPackageApplySpec, SeedPackageApplyStatus>

export const seedPackageApply: Resource = {
  kind: 'SeedPackageApply',
  plural: 'seedpackageapplies',
  singular: 'seedpackageapply',
  shortNames: ['seed', 'seeds'],
  description: 'One application of seed packages to a suite, or a dry run of it.',
  spec: SeedPackageApplySpec,
  status: SeedPackageApplyStatus,
  rules: [
    {
      rule: '!has(oldSelf.status) || !has(oldSelf.status.runId) || self.spec == oldSelf.spec',
      message: 'it has started and can no longer be changed; make another',
    },
  ],
  columns: [
    { name: 'Suite', type: 'string', jsonPath: '.spec.suiteRef.name' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Changes', type: 'string', jsonPath: '.status.changes' },
    { name: 'Dry run', type: 'boolean', jsonPath: '.spec.dryRun', priority: 1 },
    { name: 'Run', type: 'string', jsonPath: '.status.runId', priority: 1 },
    {
      name: 'Reason',
      type: 'string',
      jsonPath: ".status.conditions[?(@.type=='Ready')].reason",
      priority: 1,
    },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
}
