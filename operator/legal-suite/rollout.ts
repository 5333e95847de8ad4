import type { ServiceName } from '../api/service-spec.ts'
import { nameOf, rolloutAnnotation, type SuiteInput, servicesOf } from '../desired/common.ts'
import { keySecretOf } from '../desired/internal-key.ts'
import { type Container, secretRefsOf } from '../desired/pod.ts'
import { waves } from '../desired/waves.ts'
import type { KubeObject } from '../runtime/objects.ts'
import { type Health, healthOf, jobOutcome, type Workload } from './health.ts'

/** Reason why a rollout cannot continue: temporarily (`reconciling`) or until a user acts (`stalled`). */
export interface Blocker {
  state: 'reconciling' | 'stalled'
  reason: string
  message: string
}

export interface RolloutPlan {
  /** Objects to apply now. */
  applicable: KubeObject[]
  /** Objects that wait for a blocker. They are neither applied nor deleted. */
  deferred: KubeObject[]
  blocker?: Blocker
}

export type WorkloadLookup = (kind: string, name: string) => Workload | undefined

export interface RolloutInputs {
  lookup: WorkloadLookup
  /** Referenced Secret entries that do not exist, by `name/key`. */
  missing: ReadonlySet<string>
  /** Reason why the database cannot be used. */
  database?: Blocker | undefined
  /** Whether the cluster serves the API of an object. Default: all. */
  isServed?: (object: KubeObject) => boolean
}

type Deployment = KubeObject & { spec: { replicas?: number } }

/**
 * Plans which objects are applied now: everything without pods at once, the migration when the database is
 * available, then the services wave by wave, each wave when the previous one is ready. A change that replaces
 * no pods is never deferred, so that drift is always corrected.
 */
export function planRollout(
  suite: SuiteInput,
  objects: KubeObject[],
  inputs: RolloutInputs,
): RolloutPlan {
  const plan: RolloutPlan = { applicable: [], deferred: [] }
  const defer = (object: KubeObject, blocker: Blocker) => {
    plan.deferred.push(object)
    plan.blocker ??= blocker
  }
  // The key is mounted. Without the Secret, pods would hang in ContainerCreating.
  const key = `${keySecretOf(suite)}/current`
  const isPod = ({ kind }: KubeObject) => kind === 'Deployment' || kind === 'Job'
  for (const each of objects.filter((each) => !isPod(each))) {
    // Objects of an API that the cluster does not serve wait, also when they existed before.
    if (inputs.isServed && !inputs.isServed(each)) plan.deferred.push(each)
    else plan.applicable.push(each)
  }

  const job = objects.find(({ kind }) => kind === 'Job')
  let barrier = suite.spec.hibernated ? undefined : inputs.database
  if (job) {
    barrier = barrier ?? missingSecretBlocker(job, inputs)
    if (barrier) defer(job, barrier)
    else {
      plan.applicable.push(job)
      barrier = migrationBlocker(job, inputs)
    }
  }
  for (const wave of waves) {
    const members = wave.filter((name) => servicesOf(suite).includes(name))
    let next = barrier
    for (const name of members) {
      const object = objects.find(
        ({ kind, metadata }) => kind === 'Deployment' && metadata.name === nameOf(suite, name),
      ) as Deployment
      const willRoll = replacesPods(object, inputs.lookup('Deployment', object.metadata.name))
      const blocked = willRoll ? (barrier ?? missingSecretBlocker(object, inputs, key)) : undefined
      if (blocked) defer(object, blocked)
      else plan.applicable.push(object)
      next ??= blocked ?? serviceBlocker(name, object, willRoll, inputs.lookup)
    }
    barrier = next
  }
  return { ...plan, ...(!plan.blocker && barrier && { blocker: barrier }) }
}

/** Returns whether applying the Deployment starts or replaces pods. */
function replacesPods(object: Deployment, live: Workload | undefined): boolean {
  if (object.spec.replicas === 0) return false
  if (!live || live.spec?.replicas === 0) return true
  return (
    live.metadata.annotations?.[rolloutAnnotation] !==
    object.metadata.annotations?.[rolloutAnnotation]
  )
}

function missingSecretBlocker(
  object: KubeObject,
  { missing }: RolloutInputs,
  ...mounted: string[]
): Blocker | undefined {
  const { containers } = (object as { spec?: { template?: { spec: { containers: Container[] } } } })
    .spec!.template!.spec
  const environmentRefs = secretRefsOf(containers).map(({ name, key }) => `${name}/${key}`)
  const absent = [...environmentRefs, ...mounted].filter((id) => missing.has(id))
  if (absent.length === 0) return undefined
  const message = `${object.metadata.name} requires missing Secret entries: ${[...new Set(absent)].join(', ')}`
  return { state: 'reconciling', reason: 'SecretNotFound', message }
}

function migrationBlocker(job: KubeObject, { lookup }: RolloutInputs): Blocker | undefined {
  const { name } = job.metadata
  const outcome = jobOutcome(lookup('Job', name))
  if (outcome === 'done') return undefined
  if (outcome === 'failed') {
    const message = `Job ${name} failed; read its log, fix the cause and delete the Job`
    return { state: 'stalled', reason: 'MigrationFailed', message }
  }
  return { state: 'reconciling', reason: 'Migrating', message: `waiting for Job ${name}` }
}

function serviceBlocker(
  name: ServiceName,
  object: Deployment,
  willRoll: boolean,
  lookup: WorkloadLookup,
): Blocker | undefined {
  const isHibernated = object.spec.replicas === 0
  const health = healthOf(lookup('Deployment', object.metadata.name))
  if (isHibernated || (!willRoll && health.ready)) return undefined
  if (!willRoll && health.failure) {
    const message = `${name} does not become ready, later services are not rolled out: ${health.failure}`
    return { state: 'stalled', reason: 'RolloutFailed', message }
  }
  return {
    state: 'reconciling',
    reason: 'RollingOut',
    message: rolloutMessage(name, willRoll, health),
  }
}

const rolloutMessage = (name: ServiceName, willRoll: boolean, { available, desired }: Health) =>
  willRoll
    ? `rolling out ${name}`
    : `waiting for ${name}: ${available} of ${desired} pods are ready`
