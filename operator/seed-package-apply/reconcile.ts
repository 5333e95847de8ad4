import { randomUUID } from 'node:crypto'
import type { LegalSuite } from '../api/legal-suite.ts'
import type { SeedPackageApply, SeedPackageApplyStatus } from '../api/seed-package-apply.ts'
import { currentKey } from '../legal-suite/secrets.ts'
import type { Client } from '../runtime/client.ts'
import type { Standing } from '../runtime/conditions.ts'
import type { Context, Result } from '../runtime/controller.ts'
import type { Recorder } from '../runtime/events.ts'
import { resourceOf } from '../runtime/resources.ts'
import type { makeStatusWriter } from '../runtime/status.ts'
import type { Asked, Collector, Run } from './collector.ts'
import { isFinished, resultOf, timeOf, withState } from './status.ts'

export interface Surroundings {
  find(key: string): SeedPackageApply | undefined
  suite(key: string): LegalSuite | undefined
  observe(object: SeedPackageApply): void
  collector: Collector
  recorder: Recorder
  writeStatus: ReturnType<typeof makeStatusWriter>
  now: () => Date
}

type Pass = Surroundings & { client: Client; object: SeedPackageApply }
type Phase = NonNullable<SeedPackageApplyStatus['phase']>

const resource = resourceOf('legalsuite.dev/v1alpha1', 'SeedPackageApply')

/** One pass over one application: begin it, ask for it, tell what came of it; remove it when its time is up. */
export async function reconcile(
  key: string,
  { client, signal }: Pick<Context, 'client' | 'signal'>,
  around: Surroundings,
): Promise<Result> {
  const object = around.find(key)
  if (!object || object.metadata.deletionTimestamp) return undefined
  const pass: Pass = { ...around, client, object }
  if (isFinished(object)) return expire(pass)
  const suite = around.suite(`${object.metadata.namespace}/${object.spec.suiteRef.name}`)
  const waiting = obstacleOf(suite)
  if (waiting || !suite) {
    await write(pass, object.status?.runId ? 'Running' : 'Pending', waiting!)
    return undefined
  }
  const secret = await currentKey(client, suite)
  if (!secret) {
    await write(pass, 'Pending', later('KeyNotFound', 'the internal key of the suite is not there'))
    return { requeueAfter: 10_000 }
  }
  const begun = await begin(pass)
  const { runId } = begun.status!
  const asked = await around.collector(suite, secret, runId!, begun.spec, signal)
  return conclude({ ...pass, object: begun }, asked)
}

const later = (reason: string, message: string): Standing => ({
  state: 'reconciling',
  reason,
  message,
})

/** Why the suite can't be asked now; it is looked at again when it changes. */
function obstacleOf(suite: LegalSuite | undefined): Standing | undefined {
  if (!suite) return later('SuiteNotFound', 'waiting for the suite')
  if (suite.spec.paused) return later('SuitePaused', 'the suite is paused')
  if (suite.spec.hibernated) return later('SuiteHibernated', 'the suite sleeps')
  return collectorReady(suite)
    ? undefined
    : later('CollectorNotReady', 'waiting for collector-service of the suite')
}

export const collectorReady = ({ status }: LegalSuite) =>
  status?.services?.some(({ name, ready }) => name === 'collector' && ready) ?? false

/** The run's id is written down before it is used, so that it is the same one after a crash. */
async function begin(pass: Pass): Promise<SeedPackageApply> {
  const { object, now } = pass
  if (object.status?.runId) return object
  const begun = {
    ...object,
    status: { ...object.status, runId: randomUUID(), startedAt: timeOf(now()) },
  }
  return write({ ...pass, object: begun }, 'Running', later('Running', 'asking collector-service'))
}

async function conclude(pass: Pass, asked: Asked): Promise<Result> {
  const { object, now } = pass
  if ('later' in asked) {
    const attempts = (object.status?.attempts ?? 0) + 1
    const tried = { ...object, status: { ...object.status, attempts } }
    await write(
      { ...pass, object: tried },
      'Running',
      later(asked.later.reason, asked.later.message),
    )
    return { requeueAfter: Math.min(1_000 * 2 ** Math.min(attempts - 1, 6), 60_000) }
  }
  const [phase, standing, result] =
    'run' in asked
      ? ended(object, asked.run, now())
      : (['Failed', { state: 'stalled', ...asked.refused }, { finishedAt: timeOf(now()) }] as [
          Phase,
          Standing,
          SeedPackageApplyStatus,
        ])
  const over = { ...object, status: { ...object.status, ...result } }
  const written = await write({ ...pass, object: over }, phase, standing)
  pass.recorder.record(written, {
    type: phase === 'Succeeded' ? 'Normal' : 'Warning',
    reason: standing.reason,
    action: object.spec.dryRun ? 'DryRun' : 'Apply',
    note: standing.message,
  })
  return expire({ ...pass, object: written })
}

function ended(
  { spec }: SeedPackageApply,
  run: Run,
  now: Date,
): [Phase, Standing, SeedPackageApplyStatus] {
  const result = resultOf(run, now)
  const { changes, itemsTotal, itemsFailed } = result
  if (run.status === 'succeeded') {
    const message = spec.dryRun ? `would change ${changes}` : `changed ${changes}`
    return ['Succeeded', { state: 'ready', reason: 'Succeeded', message }, result]
  }
  const message = `${itemsFailed} of ${itemsTotal} items failed; see items, and the run ${run.run_id}`
  const partial = run.status === 'partial'
  const reason = partial ? 'PartlyApplied' : 'ItemsFailed'
  return [partial ? 'Partial' : 'Failed', { state: 'stalled', reason, message }, result]
}

/** Once over, it goes when its time is up, if it has one. */
async function expire({ client, object, now }: Pass): Promise<Result> {
  const { ttlSecondsAfterFinished: ttl } = object.spec
  const { finishedAt } = object.status ?? {}
  if (ttl === undefined || !finishedAt) return undefined
  const left = Date.parse(finishedAt) + ttl * 1000 - now().getTime()
  // A timer can't wait for longer than this.
  if (left > 0) return { requeueAfter: Math.min(left, 86_400_000) }
  const { uid } = object.metadata
  await client.delete(resource, object.metadata, { uid, propagation: 'Background' })
  return undefined
}

async function write(pass: Pass, phase: Phase, standing: Standing): Promise<SeedPackageApply> {
  const { client, object, writeStatus, now } = pass
  const found = pass.find(`${object.metadata.namespace}/${object.metadata.name}`) ?? object
  const status = withState(object, phase, standing, now())
  const written = await writeStatus(
    client,
    { ...object, status: found.status } as SeedPackageApply,
    status,
  )
  pass.observe(written)
  return written
}
