import type { ServiceName } from '../api/service-spec.ts'
import { nameOf, rolloutAnnotation, servicesOf, type Wanted } from '../desired/common.ts'
import { keySecretOf } from '../desired/key.ts'
import { type Container, secretsIn } from '../desired/pod.ts'
import { waves } from '../desired/waves.ts'
import type { KubeObject } from '../runtime/objects.ts'
import { endOf, type Health, healthOf, type Workload } from './health.ts'

/** What stands in the way of going on: by itself it passes, or it does not. */
export interface Obstacle {
  state: 'reconciling' | 'stalled'
  reason: string
  message: string
}

export interface Plan {
  /** What may be applied now. */
  now: KubeObject[]
  /** What has to wait: it is neither applied nor taken away. */
  held: KubeObject[]
  obstacle?: Obstacle
}

export type Look = (kind: string, name: string) => Workload | undefined

export interface Known {
  look: Look
  /** Secret entries that a pod needs and that are not there, by `name/key`. */
  missing: ReadonlySet<string>
  /** What keeps the database from being used. */
  database?: Obstacle | undefined
}

type Deployment = KubeObject & { spec: { replicas?: number } }

/**
 * What of a suite may be applied: everything but pods at once, then the migration when there is a
 * database, then service by service, each wave when the one before it is ready. What would not replace
 * pods never waits, so that a drift is put right whatever else goes on.
 */
export function planOf(suite: Wanted, objects: KubeObject[], known: Known): Plan {
  const plan: Plan = { now: [], held: [] }
  const hold = (object: KubeObject, obstacle: Obstacle) => {
    plan.held.push(object)
    plan.obstacle ??= obstacle
  }
  // It is mounted, and a pod without it would wait for it without a word.
  const key = `${keySecretOf(suite)}/current`
  const isPod = ({ kind }: KubeObject) => kind === 'Deployment' || kind === 'Job'
  plan.now.push(...objects.filter((each) => !isPod(each)))

  const job = objects.find(({ kind }) => kind === 'Job')
  let barrier = suite.spec.hibernated ? undefined : known.database
  if (job) {
    barrier = barrier ?? missingFor(job, known)
    if (barrier) hold(job, barrier)
    else {
      plan.now.push(job)
      barrier = migrationObstacle(job, known)
    }
  }
  for (const wave of waves) {
    const members = wave.filter((name) => servicesOf(suite).includes(name))
    let next = barrier
    for (const name of members) {
      const object = objects.find(
        ({ kind, metadata }) => kind === 'Deployment' && metadata.name === nameOf(suite, name),
      ) as Deployment
      const rolls = replacesPods(object, known.look('Deployment', object.metadata.name))
      const blocked = rolls ? (barrier ?? missingFor(object, known, key)) : undefined
      if (blocked) hold(object, blocked)
      else plan.now.push(object)
      next ??= blocked ?? serviceObstacle(name, object, rolls, known.look)
    }
    barrier = next
  }
  return { ...plan, ...(!plan.obstacle && barrier && { obstacle: barrier }) }
}

/** Whether applying it starts pods or puts others in their place. */
function replacesPods(object: Deployment, live: Workload | undefined): boolean {
  if (object.spec.replicas === 0) return false
  if (!live || live.spec?.replicas === 0) return true
  return (
    live.metadata.annotations?.[rolloutAnnotation] !==
    object.metadata.annotations?.[rolloutAnnotation]
  )
}

function missingFor(
  object: KubeObject,
  { missing }: Known,
  ...mounted: string[]
): Obstacle | undefined {
  const { containers } = (object as { spec?: { template?: { spec: { containers: Container[] } } } })
    .spec!.template!.spec
  const read = secretsIn(containers).map(({ name, key }) => `${name}/${key}`)
  const absent = [...read, ...mounted].filter((id) => missing.has(id))
  if (absent.length === 0) return undefined
  const message = `${object.metadata.name} needs ${[...new Set(absent)].join(', ')}`
  return { state: 'reconciling', reason: 'SecretNotFound', message }
}

function migrationObstacle(job: KubeObject, { look }: Known): Obstacle | undefined {
  const { name } = job.metadata
  const end = endOf(look('Job', name))
  if (end === 'done') return undefined
  if (end === 'failed') {
    const message = `the Job ${name} failed; read its log, put right what is wrong and delete it`
    return { state: 'stalled', reason: 'MigrationFailed', message }
  }
  return { state: 'reconciling', reason: 'Migrating', message: `waiting for the Job ${name}` }
}

function serviceObstacle(
  name: ServiceName,
  object: Deployment,
  rolls: boolean,
  look: Look,
): Obstacle | undefined {
  const asleep = object.spec.replicas === 0
  const health = healthOf(look('Deployment', object.metadata.name))
  if (asleep || (!rolls && health.ready)) return undefined
  if (!rolls && health.failure) {
    const message = `${name} does not get ready, so nothing after it is rolled out: ${health.failure}`
    return { state: 'stalled', reason: 'RolloutFailed', message }
  }
  return { state: 'reconciling', reason: 'RollingOut', message: waitingFor(name, rolls, health) }
}

const waitingFor = (name: ServiceName, rolls: boolean, { available, desired }: Health) =>
  rolls ? `rolling out ${name}` : `waiting for ${name}: ${available} of ${desired} pods are ready`
