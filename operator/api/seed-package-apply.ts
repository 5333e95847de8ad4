import * as z from 'zod'
import { atomicList, celRules, mapList, ObjectName, PackageId, Time, text } from './fields.ts'
import { ageColumn, type CustomObject, type CustomResource, reasonColumn } from './resource.ts'
import { statusFields } from './status.ts'

export const SeedPackageApplySpec = z
  .object({
    suiteRef: z
      .object({ name: ObjectName.max(40) })
      .describe('Suite in the same namespace whose collector-service applies the packages.'),
    packageIds: z
      .array(PackageId)
      .min(1)
      .max(32)
      .meta(atomicList)
      .describe('Seed packages in the order of application.'),
    dryRun: z
      .boolean()
      .optional()
      .describe(
        'Report the planned changes and the plan hash without applying them. Default: false.',
      ),
    force: z
      .boolean()
      .optional()
      .describe('Apply packages again that are already applied. Default: false.'),
    expectPlanHash: text(128)
      .optional()
      .describe('Plan hash of a dry run. The apply fails if the plan has changed since.'),
    ttlSecondsAfterFinished: z
      .int()
      .min(0)
      .max(31_536_000)
      .optional()
      .describe('Seconds until a finished apply is deleted. Default: never.'),
  })
  .meta(
    celRules(
      {
        rule: '!(has(self.dryRun) && self.dryRun && has(self.force) && self.force)',
        message: 'dryRun and force are mutually exclusive',
      },
      {
        rule: '!(has(self.dryRun) && self.dryRun && has(self.expectPlanHash))',
        message: 'expectPlanHash cannot be combined with dryRun',
      },
    ),
  )
export type SeedPackageApplySpec = z.infer<typeof SeedPackageApplySpec>

/** Maximum number of items in the status. The run at collector-service has all of them. */
export const maxReportedItems = 64

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
    ...statusFields,
    phase: z.enum(['Pending', 'Running', 'Succeeded', 'Partial', 'Failed']).optional(),
    runId: text(64)
      .optional()
      .describe(
        'Id of the run at collector-service. Assigned before the first request, then immutable.',
      ),
    attempts: z.int().min(0).max(1_000_000).optional(),
    startedAt: Time.optional(),
    finishedAt: Time.optional(),
    planHash: z.string().max(128).optional(),
    packages: z.array(Package).max(32).meta(mapList('id')).optional(),
    items: z.array(Item).max(maxReportedItems).meta(atomicList).optional(),
    itemsTotal: z.int().min(0).optional(),
    itemsFailed: z.int().min(0).optional(),
    changes: z
      .string()
      .max(64)
      .optional()
      .describe('Created, updated and deleted records: +3 ~1 -0.'),
  })
  .meta(
    celRules({
      rule: '!has(oldSelf.runId) || (has(self.runId) && self.runId == oldSelf.runId)',
      message: 'runId is immutable',
    }),
  )
export type SeedPackageApplyStatus = z.infer<typeof SeedPackageApplyStatus>

export type SeedPackageApply = CustomObject<SeedPackageApplySpec, SeedPackageApplyStatus>

export const seedPackageApply: CustomResource = {
  kind: 'SeedPackageApply',
  plural: 'seedpackageapplies',
  singular: 'seedpackageapply',
  shortNames: ['seed', 'seeds'],
  description: 'One application of seed packages to a suite, or its dry run.',
  spec: SeedPackageApplySpec,
  status: SeedPackageApplyStatus,
  rules: [
    {
      rule: '!has(oldSelf.status) || !has(oldSelf.status.runId) || self.spec == oldSelf.spec',
      message: 'the spec is immutable after the run has started; create another SeedPackageApply',
    },
  ],
  columns: [
    { name: 'Suite', type: 'string', jsonPath: '.spec.suiteRef.name' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Changes', type: 'string', jsonPath: '.status.changes' },
    { name: 'Dry run', type: 'boolean', jsonPath: '.spec.dryRun', priority: 1 },
    { name: 'Run', type: 'string', jsonPath: '.status.runId', priority: 1 },
    reasonColumn,
    ageColumn,
  ],
}
