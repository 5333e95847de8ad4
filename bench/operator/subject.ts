import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleOperator } from '../../operator/build.ts'
import type { Client } from '../../operator/runtime/client.ts'
import { manifest } from '../../tests/cluster/definitions.ts'
import { buildKubeconfig, operatorAccess } from '../../tests/cluster/rights.ts'
import { eventually, freshNamespace } from '../../tests/cluster/support.ts'
import { freePort } from '../../tests/support/free-port.ts'

/** Starts the bundled operator in its own process and namespace. */
export async function startSubject(client: Client, collectorAddress: string) {
  const namespace = await freshNamespace(client)
  const directory = mkdtempSync(join(tmpdir(), 'legal-suite-bench-'))
  const bundle = join(directory, 'operator.mjs')
  const kubeconfig = join(directory, 'kubeconfig')
  await bundleOperator(bundle)
  const access = await operatorAccess(client, namespace.name)
  writeFileSync(kubeconfig, await buildKubeconfig(access, namespace.name))
  const port = await freePort()
  const env = {
    PATH: process.env.PATH,
    KUBECONFIG: kubeconfig,
    PORT: String(port),
    LOG_LEVEL: 'error',
    COLLECTOR_ADDRESS: collectorAddress,
  }
  const child = spawn(process.execPath, [...shippedFlags(), bundle], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const figures = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  await eventually(async () => {
    const { status } = await fetch(`http://127.0.0.1:${port}/readyz`)
    if (status !== 200) throw new Error(`not ready: ${status}`)
  })
  return {
    namespace: namespace.name,
    /** Resident memory in MiB. */
    memory: async () =>
      Number(/^process_resident_memory_bytes (.*)$/m.exec(await figures())![1]) / 2 ** 20,
    /** Number of mutating requests without lease renewals. */
    writes: async () => {
      const lines = (await figures()).matchAll(
        /^rest_client_requests_total\{verb="(create|update|patch|delete)",resource="([^"]*)"[^}]*\} (\d+)/gm,
      )
      return [...lines]
        .filter(([, , resource]) => resource !== 'leases')
        .reduce((sum, [, , , count]) => sum + Number(count), 0)
    },
    async stop() {
      child.kill('SIGTERM')
      await new Promise((resolve) => child.once('exit', resolve))
      rmSync(directory, { recursive: true, force: true })
      await namespace[Symbol.asyncDispose]()
    },
  }
}

/** Node flags of the shipped Deployment. */
function shippedFlags(): string[] {
  const [deployment] = manifest('operator/deploy/4-deployment.yaml') as unknown as Deployment[]
  const { command } = deployment!.spec.template.spec.containers[0]!
  return command.filter((word) => word.startsWith('--'))
}

type Deployment = { spec: { template: { spec: { containers: { command: string[] }[] } } } }

export type Subject = Awaited<ReturnType<typeof startSubject>>

export const pause = (milliseconds: number) =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

export async function inParallel(
  count: number,
  concurrency: number,
  work: (index: number) => Promise<unknown>,
) {
  let next = 0
  const worker = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
}
