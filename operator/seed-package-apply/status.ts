import {
  mostItems,
  type SeedPackageApply,
  type SeedPackageApplyStatus,
} from '../api/seed-package-apply.ts'
import {
  type Condition,
  clipped,
  type Standing,
  withHistory,
  withStanding,
} from '../runtime/conditions.ts'
import type { Run } from './collector.ts'

type Status = SeedPackageApplyStatus

export const finishedPhases: readonly Status['phase'][] = ['Succeeded', 'Partial', 'Failed']

export const isFinished = ({ status }: SeedPackageApply) => finishedPhases.includes(status?.phase)

export const timeOf = (now: Date) => now.toISOString().replace(/\.\d+/, '')

/** The status with where it stands now. */
export function withState(
  { metadata, status }: SeedPackageApply,
  phase: NonNullable<Status['phase']>,
  standing: Standing,
  now: Date,
): Status {
  const at = { generation: metadata.generation, now }
  const entry = {
    time: timeOf(now),
    generation: metadata.generation,
    reason: standing.reason,
    message: clipped(standing.message, 512),
  }
  const telling = phase !== 'Pending'
  return {
    ...status,
    observedGeneration: metadata.generation,
    phase,
    conditions: withStanding((status?.conditions ?? []) as Condition[], standing, at),
    ...(telling && { history: withHistory(status?.history ?? [], entry, 10) }),
  }
}

/** All that a run says, as far as there is room for it; the rest is with the run. */
export function resultOf(run: Run, now: Date): Status {
  const items = run.packages.flatMap(({ package_id, items }) =>
    items.map((each) => ({ package: package_id, ...each })),
  )
  const sum = (what: 'created' | 'updated' | 'deleted') =>
    items.reduce((total, { counts }) => total + counts[what], 0)
  const failed = items.filter(({ status }) => status === 'failed')
  const told = [...failed, ...items.filter(({ status }) => status !== 'failed')].slice(0, mostItems)
  return {
    finishedAt: timeOf(now),
    ...(run.plan_hash && { planHash: run.plan_hash }),
    packages: run.packages.map(({ package_id, version, checksum, status }) => ({
      id: clipped(package_id, 128),
      version: clipped(version, 64),
      checksum: clipped(checksum, 128),
      status: clipped(status, 32),
    })),
    items: told.map(({ item_id, kind, status, counts, error, ...rest }) => ({
      package: clipped(rest.package, 128),
      item: clipped(item_id, 256),
      kind: clipped(kind, 128),
      status: clipped(status, 32),
      ...counts,
      ...(error && { error: clipped(error, 512) }),
    })),
    itemsTotal: items.length,
    itemsFailed: failed.length,
    changes: `+${sum('created')} ~${sum('updated')} -${sum('deleted')}`,
  }
}
