import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../support.ts'
import { startLoad } from './client.ts'
import { kubectl } from './kubectl.ts'
import { suiteNamespace } from './namespaces.ts'
import { ensureSuite, suiteObjects, waitUntilReady } from './suite.ts'

beforeAll(ensureSuite)

const outageMs = 60_000

/** Restarts of the containers of services. */
async function countRestarts(): Promise<number> {
  const pods = (await (await suiteObjects()).list('Pod')).filter(
    ({ metadata }) => metadata.labels['app.kubernetes.io/component'] === 'service',
  )
  return pods
    .flatMap(({ status }) => status.containerStatuses ?? [])
    .reduce((sum, { restartCount }) => sum + restartCount, 0)
}

test('a database outage of a minute restarts no service and loses no acknowledged write', async () => {
  const load = startLoad()
  const before = await countRestarts()
  // A node that accepts no pods keeps the database away.
  const uncordon = () => kubectl(['uncordon', '--selector', 'kubernetes.io/os=linux'])
  onTestFinished(() => uncordon().then(() => {}))
  await kubectl(['cordon', '--selector', 'kubernetes.io/os=linux'])
  await kubectl([
    ...['--namespace', suiteNamespace(), 'delete', 'pod', 'demo-postgres-0'],
    ...['--grace-period=0', '--force'],
  ])
  await new Promise((resolve) => setTimeout(resolve, outageMs))
  await uncordon()
  const at = await suiteObjects()
  await eventually(async () => {
    const { status } = await at.get('StatefulSet', 'demo-postgres')
    expect(status.readyReplicas).toBe(1)
  }, 300_000)
  await waitUntilReady()
  const { failures, lost, acknowledged } = await load.stop()
  expect(lost).toEqual([])
  expect(acknowledged).toBeGreaterThan(0)
  expect(failures.length).toBeGreaterThan(0)
  expect(await countRestarts()).toBe(before)
})
