import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { bundleProcess } from '../../operator/build.ts'
import { getResource } from '../../operator/runtime/resources.ts'
import { freePort } from '../support/free-port.ts'
import { clusterClient, eventually, freshNamespace } from './support.ts'

const secrets = getResource('v1', 'Secret')
const many = 1_000

/** A bundle, because a process that strips types needs about 37 MiB more. */
async function bundleLeader(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'legal-suite-leader-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const outfile = join(directory, 'leader.mjs')
  await bundleProcess('tests/cluster/leader.ts', outfile)
  return outfile
}

describe('memory of the operator', () => {
  test('memory does not grow with unrelated Secrets', async () => {
    const client = await clusterClient()
    await using namespace = await freshNamespace(client)
    const port = await freePort()
    const args = [
      await bundleLeader(),
      process.env.TEST_KUBECONFIG!,
      namespace.name,
      'one',
      `${port}`,
    ]
    const child = spawn(process.execPath, args, { stdio: 'ignore' })
    onTestFinished(() => void child.kill('SIGKILL'))
    const figures = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    const megabytes = async () =>
      Number(/^process_resident_memory_bytes (.*)$/m.exec(await figures())?.[1]) / 2 ** 20
    await eventually(async () =>
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200),
    )
    const before = await megabytes()

    const data = { blob: Buffer.alloc(32_768, 'x').toString('base64') }
    let next = 0
    const maker = async () => {
      while (next < many) {
        const metadata = { name: `unrelated-${next++}`, namespace: namespace.name }
        await client.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata, data })
      }
    }
    await Promise.all(Array.from({ length: 16 }, maker))
    // Events of one kind arrive in order: after the labelled Secret, all others would have arrived.
    const metadata = { name: 'marker', namespace: namespace.name, labels: { ask: 'yes' } }
    await client.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata })
    await eventually(async () =>
      expect(await figures()).toMatch(/informer_objects\{resource="secrets"[^}]*\} 1/),
    )
    const after = await megabytes()
    console.log(`resident: ${before.toFixed(1)} MiB, with ${many} Secrets ${after.toFixed(1)} MiB`)
    // Cached, they would take 43 MiB.
    expect(after - before).toBeLessThan(25)
    expect(after).toBeLessThan(100)
  })
})
