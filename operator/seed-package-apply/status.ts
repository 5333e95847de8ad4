import {
  maxReportedItems,
  type SeedPackageApply,
  type SeedPackageApplyStatus,
} from '../api/seed-package-apply.ts'
import {
  type Condition,
  type ReadyState,
  truncate,
  withHistory,
  withReadyState,
} from '../runtime/conditions.ts'
import type { Run } from './collector.ts'

type Status = SeedPackageApplyStatus

export const finishedPhases: readonly Status['phase'][] = ['Succeeded', 'Partial', 'Failed']

export const isFinished = ({ status }: SeedPackageApply) => finishedPhases.includes(status?.phase)

export const toTimestamp = (now: Date) => now.toISOString().replace(/\.\d+/, '')

export function withState(
  { metadata, status }: SeedPackageApply,
  phase: NonNullable<Status['phase']>,
  readyState: ReadyState,
  now: Date,
): Status {
  const context = { generation: metadata.generation, now }
  const entry = {
    time: toTimestamp(now),
    generation: metadata.generation,
    reason: readyState.reason,
    message: truncate(readyState.message, 512),
  }
  const hasStarted = phase !== 'Pending'
  return {
    ...status,
    observedGeneration: metadata.generation,
    phase,
    conditions: withReadyState((status?.conditions ?? []) as Condition[], readyState, context),
    ...(hasStarted && { history: withHistory(status?.history ?? [], entry, 10) }),
  }
}

/** Converts a run to status fields, truncated to the limits of the CRD. */
export function runResult(run: Run, now: Date): Status {
  const items = run.packages.flatMap(({ package_id, items }) =>
    items.map((each) => ({ package: package_id, ...each })),
  )
  const sum = (what: 'created' | 'updated' | 'deleted') =>
    items.reduce((total, { counts }) => total + counts[what], 0)
  const failed = items.filter(({ status }) => status === 'failed')
  const reported = [...failed, ...items.filter(({ status }) => status !== 'failed')].slice(
    0,
    maxReportedItems,
  )
  return {
    finishedAt: toTimestamp(now),
    ...(run.plan_hash && { planHash: run.plan_hash }),
    packages: run.packages.map(({ package_id, version, checksum, status }) => ({
      id: truncate(package_id, 128),
      version: truncate(version, 64),
      checksum: truncate(checksum, 128),
      status: truncate(status, 32),
    })),
    items: reported.map(({ item_id, kind, status, counts, error, ...rest }) => ({
      package: truncate(rest.package, 128),
      item: truncate(item_id, 256),
      kind: truncate(kind, 128),
      status: truncate(status, 32),
      ...counts,
      ...(error && { error: truncate(error, 512) }),
    })),
    itemsTotal: items.length,
    itemsFailed: failed.length,
    changes: `+${sum('created')} ~${sum('updated')} -${sum('deleted')}`,
  }
}
