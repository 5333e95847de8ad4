import { randomUUID } from 'node:crypto'
import type { LegalSuite } from '../api/legal-suite.ts'
import type { SeedPackageApply, SeedPackageApplyStatus } from '../api/seed-package-apply.ts'
import { loadCurrentKey } from '../legal-suite/secrets.ts'
import type { Client } from '../runtime/client.ts'
import type { ReadyState } from '../runtime/conditions.ts'
import type { ReconcileCall, Result } from '../runtime/controller.ts'
import type { Recorder } from '../runtime/events.ts'
import { getResource } from '../runtime/resources.ts'
import type { makeStatusWriter } from '../runtime/status.ts'
import type { ApplyResult, Collector, Run } from './collector.ts'
import { isFinished, runResult, toTimestamp, withState } from './status.ts'

export interface ReconcilerDeps {
  find(key: string): SeedPackageApply | undefined
  suite(key: string): LegalSuite | undefined
  observe(object: SeedPackageApply): void
  collector: Collector
  recorder: Recorder
  writeStatus: ReturnType<typeof makeStatusWriter>
  now: () => Date
}

type ReconcileContext = ReconcilerDeps & { client: Client; object: SeedPackageApply }
type Phase = NonNullable<SeedPackageApplyStatus['phase']>

const resource = getResource('legalsuite.dev/v1alpha1', 'SeedPackageApply')

/**
 * Reconciles one SeedPackageApply: starts it, requests the run, records the result, and deletes it after its
 * TTL.
 */
export async function reconcile(
  key: string,
  { client, signal }: Pick<ReconcileCall, 'client' | 'signal'>,
  deps: ReconcilerDeps,
): Promise<Result> {
  const object = deps.find(key)
  if (!object || object.metadata.deletionTimestamp) return undefined
  const context: ReconcileContext = { ...deps, client, object }
  if (isFinished(object)) return deleteExpired(context)
  const suite = deps.suite(`${object.metadata.namespace}/${object.spec.suiteRef.name}`)
  const blocker = findBlocker(suite)
  if (blocker || !suite) {
    await patchStatus(context, object.status?.runId ? 'Running' : 'Pending', blocker!)
    return undefined
  }
  const secret = await loadCurrentKey(client, suite)
  if (!secret) {
    await patchStatus(
      context,
      'Pending',
      reconciling('KeyNotFound', 'the Secret with the internal key of the suite does not exist'),
    )
    return { requeueAfter: 10_000 }
  }
  const started = await ensureRunId(context)
  const { runId } = started.status!
  const applyResult = await deps.collector(suite, secret, runId!, started.spec, signal)
  return recordResult({ ...context, object: started }, applyResult)
}

const reconciling = (reason: string, message: string): ReadyState => ({
  state: 'reconciling',
  reason,
  message,
})

/** Returns why the suite cannot be seeded now. A change of the suite triggers the next attempt. */
function findBlocker(suite: LegalSuite | undefined): ReadyState | undefined {
  if (!suite) return reconciling('SuiteNotFound', 'the suite does not exist')
  if (suite.spec.paused) return reconciling('SuitePaused', 'the suite is paused')
  if (suite.spec.hibernated) return reconciling('SuiteHibernated', 'the suite is hibernated')
  return collectorReady(suite)
    ? undefined
    : reconciling('CollectorNotReady', 'waiting for collector-service of the suite')
}

export const collectorReady = ({ status }: LegalSuite) =>
  status?.services?.some(({ name, ready }) => name === 'collector' && ready) ?? false

/** Persists the run id before its first use, so that a retry after a crash uses the same run. */
async function ensureRunId(context: ReconcileContext): Promise<SeedPackageApply> {
  const { object, now } = context
  if (object.status?.runId) return object
  const started = {
    ...object,
    status: { ...object.status, runId: randomUUID(), startedAt: toTimestamp(now()) },
  }
  return patchStatus(
    { ...context, object: started },
    'Running',
    reconciling('Running', 'requesting the run from collector-service'),
  )
}

async function recordResult(context: ReconcileContext, applyResult: ApplyResult): Promise<Result> {
  const { object, now } = context
  if ('retryable' in applyResult) {
    const attempts = (object.status?.attempts ?? 0) + 1
    const attempted = { ...object, status: { ...object.status, attempts } }
    await patchStatus(
      { ...context, object: attempted },
      'Running',
      reconciling(applyResult.retryable.reason, applyResult.retryable.message),
    )
    return { requeueAfter: Math.min(1_000 * 2 ** Math.min(attempts - 1, 6), 60_000) }
  }
  const [phase, readyState, result] =
    'run' in applyResult
      ? runOutcome(object, applyResult.run, now())
      : ([
          'Failed',
          { state: 'stalled', ...applyResult.rejected },
          { finishedAt: toTimestamp(now()) },
        ] as [Phase, ReadyState, SeedPackageApplyStatus])
  const finished = { ...object, status: { ...object.status, ...result } }
  const written = await patchStatus({ ...context, object: finished }, phase, readyState)
  context.recorder.record(written, {
    type: phase === 'Succeeded' ? 'Normal' : 'Warning',
    reason: readyState.reason,
    action: object.spec.dryRun ? 'DryRun' : 'Apply',
    note: readyState.message,
  })
  return deleteExpired({ ...context, object: written })
}

function runOutcome(
  { spec }: SeedPackageApply,
  run: Run,
  now: Date,
): [Phase, ReadyState, SeedPackageApplyStatus] {
  const result = runResult(run, now)
  const { changes, itemsTotal, itemsFailed } = result
  if (run.status === 'succeeded') {
    const message = spec.dryRun ? `would change ${changes}` : `changed ${changes}`
    return ['Succeeded', { state: 'ready', reason: 'Succeeded', message }, result]
  }
  const message = `${itemsFailed} of ${itemsTotal} items failed; see status.items and run ${run.run_id}`
  const partial = run.status === 'partial'
  const reason = partial ? 'PartlyApplied' : 'ItemsFailed'
  return [partial ? 'Partial' : 'Failed', { state: 'stalled', reason, message }, result]
}

/** Deletes a finished apply after its TTL. */
async function deleteExpired({ client, object, now }: ReconcileContext): Promise<Result> {
  const { ttlSecondsAfterFinished: ttl } = object.spec
  const { finishedAt } = object.status ?? {}
  if (ttl === undefined || !finishedAt) return undefined
  const remainingMs = Date.parse(finishedAt) + ttl * 1000 - now().getTime()
  // A timer cannot wait longer than 24.8 days.
  if (remainingMs > 0) return { requeueAfter: Math.min(remainingMs, 86_400_000) }
  const { uid } = object.metadata
  await client.delete(resource, object.metadata, { uid, propagation: 'Background' })
  return undefined
}

async function patchStatus(
  context: ReconcileContext,
  phase: Phase,
  readyState: ReadyState,
): Promise<SeedPackageApply> {
  const { client, object, writeStatus, now } = context
  const stored = context.find(`${object.metadata.namespace}/${object.metadata.name}`) ?? object
  const status = withState(object, phase, readyState, now())
  const written = await writeStatus(
    client,
    { ...object, status: stored.status } as SeedPackageApply,
    status,
  )
  context.observe(written)
  return written
}
