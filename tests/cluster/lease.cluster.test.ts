import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Client } from '../../operator/runtime/client.ts'
import { getResource } from '../../operator/runtime/resources.ts'
import { clusterClient, eventually, freshNamespace } from './support.ts'

type Line = { identity: string; at: number; message: string; name?: string }

const configMaps = getResource('v1', 'ConfigMap')
const leases = getResource('coordination.k8s.io/v1', 'Lease')

describe('leader election of two processes', () => {
  let client: Client
  const lines: Line[] = []
  let namespace: Awaited<ReturnType<typeof freshNamespace>>
  beforeAll(async () => {
    client = await clusterClient()
  })

  async function start(identity: string): Promise<ChildProcess> {
    const args = ['tests/cluster/leader.ts', process.env.TEST_KUBECONFIG!, namespace.name, identity]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    createInterface({ input: child.stdout! }).on('line', (line) => lines.push(JSON.parse(line)))
    onTestFinished(() => void child.kill('SIGKILL'))
    return child
  }

  const waitForMessage = (identity: string, message: string) =>
    eventually(() => {
      const line = lines.find((line) => line.identity === identity && line.message === message)
      expect(line, `${identity} has not said "${message}"`).toBeDefined()
      return line!
    })

  const createConfigMap = (name: string) =>
    client.create(configMaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: namespace.name, labels: { ask: 'yes' } },
    })

  const waitForAnswer = (name: string, by: string) =>
    eventually(async () => {
      const map = await client.get(configMaps, { namespace: namespace.name, name })
      expect(map?.metadata.annotations?.answeredBy).toBe(by)
    })

  const leaseSpec = async (): Promise<any> =>
    (await client.get(leases, { namespace: namespace.name, name: 'leader' }))!.spec

  async function pair() {
    lines.length = 0
    namespace = await freshNamespace(client)
    const one = await start('one')
    await waitForMessage('one', 'leading')
    const two = await start('two')
    await createConfigMap('first')
    await waitForAnswer('first', 'one')
    // The standby is synced.
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    const leading = lines.filter(({ message }) => message === 'leading')
    expect(leading.map(({ identity }) => identity)).toEqual(['one'])
    return { one, two }
  }

  test('a stopped leader hands over at once', async () => {
    const { one } = await pair()
    one.kill('SIGTERM')
    await waitForAnswer('first', 'two')
    // A released lease is free at once; otherwise the standby would wait until it expires.
    await waitForMessage('one', 'lease released')
    await waitForMessage('one', 'ended')
    await createConfigMap('second')
    await waitForAnswer('second', 'two')
    expect(await leaseSpec()).toMatchObject({ holderIdentity: 'two', leaseTransitions: 1 })
    await namespace[Symbol.asyncDispose]()
  })

  test('a killed leader is replaced after its lease has expired, not before', async () => {
    const { one } = await pair()
    one.kill('SIGKILL')
    const { renewTime, holderIdentity } = await leaseSpec()
    expect(holderIdentity).toBe('one')
    await waitForAnswer('first', 'two')
    const { acquireTime } = await leaseSpec()
    expect(Date.parse(acquireTime) - Date.parse(renewTime)).toBeGreaterThanOrEqual(15_000)
    await namespace[Symbol.asyncDispose]()
  })

  test('a suspended leader that resumes after its lease writes nothing', async () => {
    const { one } = await pair()
    one.kill('SIGSTOP')
    await waitForAnswer('first', 'two')
    const before = lines.length
    one.kill('SIGCONT')
    await createConfigMap('third')
    await waitForAnswer('third', 'two')
    await waitForMessage('one', 'lease lost')
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    const late = lines
      .slice(before)
      .filter(({ identity, message }) => identity === 'one' && message === 'answered')
    expect(late).toEqual([])
    await waitForAnswer('first', 'two')
    await namespace[Symbol.asyncDispose]()
  })
})
