import type { LegalSuite } from '../../operator/api/legal-suite.ts'
import { ownerReference } from '../../operator/desired/common.ts'
import { desired } from '../../operator/desired/index.ts'
import { fieldManager } from '../../operator/runtime/apply.ts'
import { type Client, makeClient } from '../../operator/runtime/client.ts'
import type { KubeObject } from '../../operator/runtime/objects.ts'
import { getResource } from '../../operator/runtime/resources.ts'
import { objectsIn } from '../../tests/cluster/objects.ts'
import { operatorAccess } from '../../tests/cluster/rights.ts'
import { freshNamespace } from '../../tests/cluster/support.ts'
import { inParallel, pause, type Subject } from './subject.ts'
import { watchRollouts } from './watch-rollouts.ts'

export interface Timings {
  /** Milliseconds until the operator had changed the last Deployment. */
  operator: number[]
  /** The same with the applies sent directly. */
  byHand: number[]
}

const deployments = getResource('apps/v1', 'Deployment')
const services = 8

/**
 * Measures the time from a version change of a suite to the change of its last Deployment. The suites are
 * hibernated, so that no pod has to become ready. The baseline applies the Deployments of an unmanaged suite
 * directly and in parallel, which no operator can outperform.
 */
export async function measureChanges(
  client: Client,
  subject: Subject,
  suites: number,
  count: number,
): Promise<Timings> {
  const objects = objectsIn(client, subject.namespace)
  const name = (index: number) => `suite-${index}`
  await inParallel(suites, 8, (index) => objects.suite({ hibernated: true }, name(index)))
  for (let index = 0; index < suites; index++) await objects.settled(name(index), 300_000)
  await using unmanaged = await freshNamespace(client)
  const hand = await manualSuite(client, unmanaged.name)
  await using rollouts = await watchRollouts(client, (suites + 1) * services)

  const timings: Timings = { operator: [], byHand: [] }
  for (let index = 0; index < count; index++) {
    const version = `2.0.${index}`
    const suite = name(index % suites)
    timings.operator.push(
      await rollouts.measure(subject.namespace, suite, version, () =>
        objects.patch('LegalSuite', suite, { spec: { version } }),
      ),
    )
    // Lets the Deployment controller finish, so that it does not delay the next change.
    await pause(1_000)
    timings.byHand.push(
      await rollouts.measure(unmanaged.name, 'bare', version, () => hand.change({ version })),
    )
    await pause(1_000)
  }
  return timings
}

/** A suite in an unmanaged namespace, changed with the permissions of the operator. */
async function manualSuite(admin: Client, namespace: string) {
  const client = makeClient({ access: await operatorAccess(admin, namespace) })
  const objects = objectsIn(admin, namespace)
  const apply = (suite: LegalSuite) =>
    Promise.all(
      buildDeployments(suite).map((object) =>
        client.apply(deployments, object, { fieldManager, force: true }),
      ),
    )
  await apply(await objects.suite({ hibernated: true }, 'bare'))
  return {
    change: async (spec: object) =>
      apply((await objects.patch('LegalSuite', 'bare', { spec })) as LegalSuite),
  }
}

const buildDeployments = (suite: LegalSuite): KubeObject[] =>
  desired(suite)
    .filter(({ kind }) => kind === 'Deployment')
    .map((each) => ({
      ...each,
      metadata: { ...each.metadata, ownerReferences: [ownerReference(suite)] },
    }))
