import {
  enabledServices,
  objectName,
  rolloutAnnotation,
  type SuiteInput,
} from '../desired/common.ts'
import { findKeyMount } from '../desired/internal-key.ts'
import { type Container, collectSecretRefs } from '../desired/pod.ts'
import { waves } from '../desired/waves.ts'
import type { KubeObject } from '../runtime/objects.ts'
import { migrationBlocker, serviceBlocker } from './blockers.ts'
import type { Workload } from './health.ts'
import { referencedSecretNames } from './references.ts'
import type { Blocker, Deployment, RolloutInputs, RolloutPlan } from './rollout-plan.ts'

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
  const stopBlocker = findStopBlocker(suite, inputs)
  const isPod = ({ kind }: KubeObject) => kind === 'Deployment' || kind === 'Job'
  const isPolicy = ({ kind }: KubeObject) => kind === 'NetworkPolicy'
  const policiesWait = inputs.policiesAreNew === true
  for (const each of objects.filter((each) => !isPod(each))) {
    if (policiesWait && isPolicy(each)) continue
    // Objects of an API that the cluster does not serve wait, also when they existed before.
    if (inputs.isServed && !inputs.isServed(each)) plan.deferred.push(each)
    else if (stopBlocker && isBackend(each)) defer(each, stopBlocker)
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
    const members = wave.filter((name) => enabledServices(suite).includes(name))
    let next = barrier
    for (const name of members) {
      const object = objects.find(
        ({ kind, metadata }) => kind === 'Deployment' && metadata.name === objectName(suite, name),
      ) as Deployment
      const willRoll = replacesPods(object, inputs.lookup('Deployment', object.metadata.name))
      const blocked = willRoll
        ? (barrier ?? missingSecretBlocker(object, inputs, ...mountedKeys(object)))
        : undefined
      if (blocked) defer(object, blocked)
      else plan.applicable.push(object)
      next ??= blocked ?? serviceBlocker(name, object, willRoll, inputs)
    }
    barrier = next
  }
  const blocker = plan.blocker ?? barrier
  // Policies of the next spec would cut off pods of the last one.
  if (policiesWait) (blocker ? plan.deferred : plan.applicable).push(...objects.filter(isPolicy))
  return { ...plan, ...(blocker && { blocker }) }
}

const isBackend = ({ kind }: KubeObject) => kind === 'StatefulSet' || kind === 'Cluster'

/** Backends are stopped after the pods that use them: terminating pods finish their requests. */
function findStopBlocker(
  { spec }: SuiteInput,
  { remainingClients = 0 }: RolloutInputs,
): Blocker | undefined {
  if (!spec.hibernated || remainingClients === 0) return undefined
  return hibernatingState(remainingClients)
}

export const hibernatingState = (pods: number): Blocker => ({
  state: 'reconciling',
  reason: 'Hibernating',
  message: `waiting for ${pods === 1 ? '1 pod' : `${pods} pods`} to terminate`,
})

/** Entries of the mounted key Secrets. Without them, pods would hang in ContainerCreating. */
function mountedKeys(object: KubeObject): string[] {
  const { current, accepted } = findKeyMount(object) ?? {}
  return [current, accepted].filter((name) => name !== undefined).map((name) => `${name}/current`)
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
  const environmentRefs = collectSecretRefs(containers).map(({ name, key }) => `${name}/${key}`)
  const volumes = referencedSecretNames(object)
  const absent = [...environmentRefs, ...mounted, ...volumes].filter((id) => missing.has(id))
  if (absent.length === 0) return undefined
  const message = `${object.metadata.name} requires missing Secrets or Secret entries: ${[...new Set(absent)].join(', ')}`
  return { state: 'reconciling', reason: 'SecretNotFound', message }
}
