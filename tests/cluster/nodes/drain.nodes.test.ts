import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../support.ts'
import { startLoad } from './client.ts'
import { kubectl } from './kubectl.ts'
import { editSuite, ensureSuite, suiteObjects, waitUntilReady } from './suite.ts'

const hasTwoNodes = Number(process.env.TEST_NODES) > 1
if (!hasTwoNodes) console.log('skipped: a drain needs --nodes 2')

/** Services that a request of the load passes. */
const services = ['gateway', 'matter', 'platform', 'memory'] as const

describe.skipIf(!hasTwoNodes)('drain of a node', () => {
  beforeAll(async () => {
    await ensureSuite()
    await editSuite({
      services: Object.fromEntries(services.map((name) => [name, { replicas: 2 }])),
    })
    await waitUntilReady()
  })

  test('a drained node fails no request, and disruption budgets are kept', async () => {
    const at = await suiteObjects()
    // One instance of the database cannot move without an interruption.
    const { spec } = await at.get('Pod', 'demo-postgres-0')
    const nodes = JSON.parse(await kubectl(['get', 'nodes', '--output', 'json'])).items
    const drained = nodes
      .map(({ metadata }: any) => metadata.name)
      .find((name: string) => name !== spec.nodeName)
    const load = startLoad()
    onTestFinished(async () => void (await kubectl(['uncordon', drained])))
    await kubectl([
      ...['drain', drained, '--ignore-daemonsets', '--delete-emptydir-data', '--timeout=300s'],
      ...['--pod-selector', 'legalsuite.dev/suite=demo,app.kubernetes.io/name!=files'],
    ])
    const left = (await at.list('Pod')).filter(
      ({ spec, metadata: { labels, deletionTimestamp } }) =>
        spec.nodeName === drained &&
        !deletionTimestamp &&
        labels['legalsuite.dev/suite'] === 'demo' &&
        labels['app.kubernetes.io/name'] !== 'files',
    )
    expect(left.map(({ metadata }) => metadata.name)).toEqual([])
    await eventually(async () => {
      for (const name of services)
        expect((await at.get('Deployment', `demo-${name}`)).status.availableReplicas).toBe(2)
    }, 300_000)
    const { failures, lost, acknowledged } = await load.stop()
    expect({ failures, lost }).toEqual({ failures: [], lost: [] })
    expect(acknowledged).toBeGreaterThan(0)
  })
})
