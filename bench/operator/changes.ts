import type { LegalSuite } from '../../operator/api/legal-suite.ts'
import { ownerReference } from '../../operator/desired/common.ts'
import { desired } from '../../operator/desired/index.ts'
import { fieldManager } from '../../operator/runtime/apply.ts'
import { type Client, makeClient } from '../../operator/runtime/client.ts'
import type { KubeObject } from '../../operator/runtime/objects.ts'
import { resourceOf } from '../../operator/runtime/resources.ts'
import { objectsIn } from '../../tests/cluster/objects.ts'
import { operatorAccess } from '../../tests/cluster/rights.ts'
import { freshNamespace } from '../../tests/cluster/support.ts'
import { inParallel, pause, type Subject } from './subject.ts'
import { watchRollouts } from './watching.ts'

export interface Took {
  /** Milliseconds until the operator had changed the last Deployment. */
  operator: number[]
  /** The same, sent by hand. */
  byHand: number[]
}

const deployments = resourceOf('apps/v1', 'Deployment')
const services = 8

/**
 * How long it takes from the change of a suite's version to the last of its Deployments being changed, at so
 * many suites. They sleep, so that no pod has to get ready. Each change is followed by one of a suite that
 * nobody looks after, whose Deployments are then applied from here, all at once: no operator can be faster.
 */
export async function changes(
  client: Client,
  subject: Subject,
  suites: number,
  count: number,
): Promise<Took> {
  const at = objectsIn(client, subject.namespace)
  const name = (index: number) => `suite-${index}`
  await inParallel(suites, 8, (index) => at.suite({ hibernated: true }, name(index)))
  for (let index = 0; index < suites; index++) await at.settled(name(index), 300_000)
  await using alone = await freshNamespace(client)
  const hand = await handIn(client, alone.name)
  await using rollouts = await watchRollouts(client, (suites + 1) * services)

  const took: Took = { operator: [], byHand: [] }
  for (let index = 0; index < count; index++) {
    const version = `2.0.${index}`
    const suite = name(index % suites)
    took.operator.push(
      await rollouts.timed(subject.namespace, suite, version, () =>
        at.patch('LegalSuite', suite, { spec: { version } }),
      ),
    )
    // What a change costs others, the controllers of Deployments above all, is not to delay the next one.
    await pause(1_000)
    took.byHand.push(
      await rollouts.timed(alone.name, 'bare', version, () => hand.change({ version })),
    )
    await pause(1_000)
  }
  return took
}

/** A suite and its Deployments in a namespace that no operator looks after, with the operator's rights. */
async function handIn(admin: Client, namespace: string) {
  const client = makeClient({ access: await operatorAccess(admin, namespace) })
  const at = objectsIn(admin, namespace)
  const apply = (suite: LegalSuite) =>
    Promise.all(
      deploymentsOf(suite).map((object) =>
        client.apply(deployments, object, { fieldManager, force: true }),
      ),
    )
  await apply(await at.suite({ hibernated: true }, 'bare'))
  return {
    change: async (spec: object) =>
      apply((await at.patch('LegalSuite', 'bare', { spec })) as LegalSuite),
  }
}

const deploymentsOf = (suite: LegalSuite): KubeObject[] =>
  desired(suite)
    .filter(({ kind }) => kind === 'Deployment')
    .map((each) => ({
      ...each,
      metadata: { ...each.metadata, ownerReferences: [ownerReference(suite)] },
    }))
