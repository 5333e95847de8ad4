import { beforeAll, expect, test } from 'vitest'
import { eventually } from '../support.ts'
import { startLoad } from './client.ts'
import { kubectl } from './kubectl.ts'
import { suiteNamespace } from './namespaces.ts'
import { editSuite, ensureSuite, suiteObjects, waitUntilReady } from './suite.ts'

beforeAll(ensureSuite)

/** Deletes pods without a grace period, as the loss of a process does. */
const kill = (selector: string) =>
  kubectl([
    ...['--namespace', suiteNamespace(), 'delete', 'pod', '--selector', selector],
    ...['--grace-period=0', '--force', '--wait=false'],
  ])

const expectRunning = async (app: string) => {
  const at = await suiteObjects()
  return eventually(async () => {
    const pods = (await at.list('Pod')).filter(
      ({ metadata }) => metadata.labels['app.kubernetes.io/name'] === app,
    )
    expect(
      pods.some(({ metadata, status }) => !metadata.deletionTimestamp && isReady(status)),
    ).toBe(true)
  }, 300_000)
}
const isReady = ({ conditions = [] }: any) =>
  conditions.some(({ type, status }: any) => type === 'Ready' && status === 'True')

test.each(['matter', 'gateway'])('no acknowledged write is lost when %s is killed', async (app) => {
  const load = startLoad()
  const at = await suiteObjects()
  await at.settled()
  await kill(`app.kubernetes.io/name=${app}`)
  await expectRunning(app)
  await waitUntilReady()
  const { acknowledged, lost } = await load.stop()
  expect(lost).toEqual([])
  expect(acknowledged).toBeGreaterThan(0)
})

test('a killed operator interrupts no request, and its successor continues', async () => {
  const load = startLoad()
  await kill('app.kubernetes.io/name=legal-suite-operator')
  await editSuite({ services: { memory: { env: [{ name: 'LOG_LEVEL', value: 'warn' }] } } })
  await waitUntilReady()
  const { failures, lost, acknowledged } = await load.stop()
  expect({ failures, lost }).toEqual({ failures: [], lost: [] })
  expect(acknowledged).toBeGreaterThan(0)
})
