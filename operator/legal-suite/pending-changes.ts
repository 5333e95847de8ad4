import { internalKeySecretName } from '../desired/internal-key.ts'
import { wouldChange } from '../runtime/apply.ts'
import { idText, subtractInventory, toObjectId } from '../runtime/inventory.ts'
import { isServed } from './apis.ts'
import { buildOwnership } from './apply-suite.ts'
import type { ReconcileContext } from './context.ts'
import { keyMountFor, withoutMissingKeys } from './key-switch.ts'

/**
 * Lists the changes that a paused suite defers, for example `update Deployment demo-memory`. Writes nothing.
 * Objects of optional APIs are not watched and therefore not compared.
 */
export async function listPendingChanges(context: ReconcileContext): Promise<string[]> {
  const { client, suite, getLive, isWatched, operatorNamespace } = context
  const apis = await context.discoverApis(client)
  const mount = keyMountFor(suite, {
    workloads: context.listWorkloads(suite),
    isDraining: context.pods.isDraining,
  })
  const read = await context.readSecrets(client, suite, getLive, mount, true)
  const internalKey = withoutMissingKeys(mount, read.missing, internalKeySecretName(suite))
  const { secrets, database } = read
  const facts = { secrets, ...(database && { database }), operatorNamespace, internalKey }
  const objects = context.desiredObjects(suite, facts).filter((each) => isServed(each, apis))
  const ownership = buildOwnership(suite)
  const applied = objects.flatMap((object) => {
    const { kind, metadata } = object
    if (!isWatched(kind)) return []
    const live = getLive(toObjectId(object))
    if (!live) return [`create ${kind} ${metadata.name}`]
    return wouldChange(live, object, ownership) ? [`update ${kind} ${metadata.name}`] : []
  })
  const { namespace } = suite.metadata
  const inventory = (suite.status?.inventory ?? []).map((each) => ({ ...each, namespace }))
  const desiredIds = new Set(objects.map((each) => idText(toObjectId(each))))
  const obsolete = subtractInventory(inventory, objects.map(toObjectId))
    .filter((id) => !desiredIds.has(idText(id)) && getLive(id))
    .map(({ kind, name }) => `remove or retain ${kind} ${name}`)
  return [...applied, ...obsolete]
}
