import type { LegalSuite, LegalSuiteStatus } from '../api/legal-suite.ts'
import { dataLabel, ownerReference, ownLabels, retains } from '../desired/common.ts'
import { applySet, inventoryDuring, isTrouble, type Outcome } from '../runtime/apply.ts'
import type { Client } from '../runtime/client.ts'
import type { Standing } from '../runtime/conditions.ts'
import type { Context, Result } from '../runtime/controller.ts'
import type { Recorder } from '../runtime/events.ts'
import { idOf, idText, merged, type ObjectId, without } from '../runtime/inventory.ts'
import type { KubeObject } from '../runtime/objects.ts'
import type { makeStatusWriter } from '../runtime/status.ts'
import type { makeApis } from './apis.ts'
import { databaseObstacle } from './database.ts'
import { handOver } from './hand-over.ts'
import type { Workload } from './health.ts'
import { changeOf } from './reasons.ts'
import type { makeRecall, Recall } from './recall.ts'
import { type Look, type Plan, planOf } from './rollout.ts'
import { readSecrets } from './secrets.ts'
import { foreignStanding, standingOf } from './standing.ts'
import { statusOf } from './status.ts'
import type { makeWanted } from './wanted.ts'

export interface Surroundings {
  find(key: string): LegalSuite | undefined
  /** What is known of an object without asking for it. */
  live(id: ObjectId): KubeObject | undefined
  /** Whether `live` hears of every change of such objects. */
  watches(kind: string): boolean
  observe(object: KubeObject): void
  recorder: Recorder
  apis: ReturnType<typeof makeApis>
  recall: ReturnType<typeof makeRecall>
  wanted: ReturnType<typeof makeWanted>
  writeStatus: ReturnType<typeof makeStatusWriter>
  operatorNamespace: string
  /** Milliseconds after which secrets and the objects of others' APIs are looked at again. */
  lookAgain: number
}

type Pass = Surroundings & { client: Client; suite: LegalSuite; look: Look }

/** One pass over one suite: look, apply what may be applied now, and say how it stands. */
export async function reconcile(
  key: string,
  { client }: Pick<Context, 'client'>,
  around: Surroundings,
): Promise<Result> {
  const suite = around.find(key)
  // Owner references take its objects away with it; nothing outside the cluster has to be undone.
  if (!suite || suite.metadata.deletionTimestamp) return undefined
  const { namespace } = suite.metadata
  const look: Look = (kind, name) =>
    around.live({
      group: kind === 'Job' ? 'batch' : 'apps',
      version: 'v1',
      kind,
      namespace,
      name,
    }) as Workload | undefined
  const pass: Pass = { ...around, client, suite, look }
  return suite.spec.paused ? paused(pass) : bring(pass)
}

/** Nothing is written but the status, which says so. */
async function paused(pass: Pass): Promise<Result> {
  await tell(pass, undefined)
  return undefined
}

async function bring(pass: Pass): Promise<Result> {
  const { client, suite, look, lookAgain } = pass
  const apis = await pass.apis(client)
  const recall = pass.recall(suite, pass.live)
  const read = recall.secrets ?? (await readSecrets(client, suite))
  const { secrets, missing, keyId, made, foreign } = read
  for (const name of made) note(pass, 'SecretCreated', 'Create', `made the Secret ${name}`)
  if (foreign.length > 0) {
    await tell(pass, foreignStanding(foreign.map((name) => `Secret ${name}`)))
    return { requeueAfter: soon(lookAgain) }
  }
  // What is not there yet, or was not until now, is looked for each time.
  if (missing.size === 0 && made.length === 0) recall.secrets = read
  const facts = { apis, secrets, operatorNamespace: pass.operatorNamespace }
  const database = await databaseObstacle(client, suite, apis, look)
  const plan = planOf(suite, pass.wanted(suite, facts), { look, missing, database })
  const { outcomes, inventory, current } = await apply(pass, plan, recall)
  const standing = standingOf(suite, outcomes, plan.obstacle, apis)
  await tell({ ...pass, suite: current }, standing, { keyId, inventory })
  const failed = outcomes.find(({ action }) => action === 'failed')
  if (failed?.action === 'failed') throw failed.error
  return { requeueAfter: soon(database ? Math.min(lookAgain, 5_000) : lookAgain) }
}

/** Not after the time, and not all suites at once. */
const soon = (milliseconds: number) => milliseconds * (0.8 + 0.2 * Math.random())

async function apply(pass: Pass, { now, held }: Plan, recall: Recall) {
  const { client, suite } = pass
  const { namespace } = suite.metadata
  const known = (suite.status?.inventory ?? []).map((each) => ({ ...each, namespace }))
  const waiting = held.map(idOf)
  // What is about to be made is written down first: a crash between the two loses track of nothing.
  const during = inventoryDuring(known, now)
  const current =
    during.length > known.length
      ? await writeDown(pass, { ...suite.status, inventory: stored(during) })
      : suite
  const before = new Map(now.map((each) => [idText(idOf(each)), pass.live(idOf(each))]))
  await handOver(client, now, before)
  const applied = await applySet(now, {
    client,
    owner: { labels: ownLabels(suite), reference: ownerReference(suite) },
    live: (id) => pass.live(id) ?? recall.find(id),
    observe: (object) => (pass.watches(object.kind) ? pass.observe(object) : recall.keep(object)),
    found: (object) => void (pass.watches(object.kind) || recall.keep(object)),
    inventory: without(known, waiting),
    keep: ({ metadata }) => retains(suite) && metadata.labels?.[dataLabel] === 'true',
  })
  announce(pass, now, applied.outcomes, before)
  // What is not ours stays named: it is about to be ours, and what is not is never deleted.
  const foreign = applied.outcomes.filter(({ action }) => action === 'conflict').map(({ id }) => id)
  const stillThere = known.filter((id) => waiting.some((other) => idText(other) === idText(id)))
  return {
    outcomes: applied.outcomes,
    inventory: merged(applied.inventory, stillThere, foreign),
    current,
  }
}

const stored = (ids: ObjectId[]) => ids.map(({ namespace: _, ...rest }) => rest)

async function writeDown({ client, suite, writeStatus, observe }: Pass, status: LegalSuiteStatus) {
  const written = await writeStatus(client, suite, status)
  observe(written)
  return written
}

async function tell(
  pass: Pass,
  standing: Standing | undefined,
  more: { keyId?: string | undefined; inventory?: ObjectId[] } = {},
) {
  const { suite, look } = pass
  const status = statusOf(suite, { look, standing, keyId: more.keyId, now: new Date() })
  const before = suite.status?.conditions?.find(({ type }) => type === 'Ready')
  const wasPaused = suite.status?.phase === 'Paused'
  await writeDown(pass, {
    ...status,
    ...(more.inventory && { inventory: stored(more.inventory) }),
  })
  if (!standing) {
    if (!wasPaused) note(pass, 'Paused', 'Pause', 'nothing is changed until it is resumed')
  } else if (before?.reason !== standing.reason || before?.message !== standing.message) {
    const { state, reason, message } = standing
    if (state !== 'reconciling') note(pass, reason, 'Reconcile', message, state === 'stalled')
  }
}

/** Says what was written. Deployments that were for the same reason are named together. */
function announce(
  pass: Pass,
  objects: KubeObject[],
  outcomes: Outcome[],
  before: Map<string, KubeObject | undefined>,
) {
  const changed = new Map<string, { reason: string; what: string; names: string[] }>()
  for (const outcome of outcomes) {
    const { id, action } = outcome
    if (action === 'unchanged' || isTrouble(outcome)) continue
    const after = objects.find((each) => idText(idOf(each)) === idText(id))
    if (action === 'pruned')
      note(pass, 'Pruned', 'Delete', `${id.kind} ${id.name} is no longer wanted`)
    else if (action === 'kept')
      note(pass, 'Kept', 'Keep', `${id.kind} ${id.name} holds data and stays`)
    else if (after && id.kind === 'Deployment') {
      const { reason, what } = changeOf(before.get(idText(id)), after)
      const { names } = changed.get(reason + what) ?? { names: [] }
      changed.set(reason + what, { reason, what, names: [...names, id.name] })
    } else if (action === 'configured' && before.get(idText(id))) {
      note(pass, 'Configured', 'Apply', `${id.kind} ${id.name} was brought to what is wanted`)
    }
  }
  for (const { reason, what, names } of changed.values())
    note(pass, reason, 'Apply', `${names.join(', ')}: ${what}`)
}

function note(
  { recorder, suite }: Pass,
  reason: string,
  action: string,
  text: string,
  warns = false,
) {
  recorder.record(suite, { type: warns ? 'Warning' : 'Normal', reason, action, note: text })
}
