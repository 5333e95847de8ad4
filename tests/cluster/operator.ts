import { onTestFinished } from 'vitest'
import { makeOperator } from '../../operator/operator.ts'
import type { Access } from '../../operator/runtime/access.ts'
import { type Client, makeClient } from '../../operator/runtime/client.ts'
import type { CallRecord } from '../../operator/runtime/rest-client.ts'
import { silent } from '../../services/_kit/log.ts'
import { makeMetrics } from '../../services/_kit/metrics.ts'
import { startKubelet } from './kubelet.ts'
import { objectsIn, secretIn } from './objects.ts'
import { operatorAccess } from './rights.ts'
import { freshNamespace } from './support.ts'

export interface Running {
  calls: CallRecord[]
  stop(): Promise<void>
}

/** Runs the operator in this process with the permissions of the shipped role. */
export function runOperator(
  access: Access,
  namespace: string,
  more: { collectorAddress?: string; identity?: string } = {},
): Running {
  const calls: CallRecord[] = []
  const metrics = makeMetrics()
  const stop = new AbortController()
  const operator = makeOperator({
    client: makeClient({ access, metrics, onCall: (call) => calls.push(call) }),
    log: silent,
    metrics,
    namespaces: [namespace],
    operatorNamespace: namespace,
    collectorAddress: more.collectorAddress ?? 'http://127.0.0.1:1',
    lease: { namespace, name: 'operator', identity: more.identity ?? 'one' },
    resyncPeriodMs: 2_000,
  })
  const running = operator.run(stop.signal)
  return {
    calls,
    async stop() {
      stop.abort()
      await running
    },
  }
}

/** Starts the operator and a fake kubelet in a namespace that enforces the restricted standard. */
export async function setUp(client: Client, more: { collectorAddress?: string } = {}) {
  const namespace = await freshNamespace(client, {
    'pod-security.kubernetes.io/enforce': 'restricted',
  })
  const kubelet = startKubelet(client, namespace.name)
  const access = await operatorAccess(client, namespace.name)
  const operator = runOperator(access, namespace.name, more)
  onTestFinished(async () => {
    await operator.stop()
    await kubelet.stop()
    await namespace[Symbol.asyncDispose]()
  })
  await secretIn(client, namespace.name, 'db', { url: 'postgres://nowhere' })
  return { ...objectsIn(client, namespace.name), operator, access, namespace: namespace.name }
}
