import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { bundleOperator } from './build.ts'
import { makeConfigDirectory } from './runtime/testing/kubeconfig-files.ts'
import { startTlsApi } from './runtime/testing/tls-api.ts'

const directory = mkdtempSync(join(tmpdir(), 'legal-suite-bundle-'))
const bundle = join(directory, 'operator.mjs')
beforeAll(() => bundleOperator(bundle))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Runs the bundle until it exits. */
function runBundle(variables: Record<string, string>) {
  const env = { PATH: process.env.PATH, HOME: directory, ...variables }
  return new Promise<{ code: unknown; stderr: string }>((resolve) =>
    execFile(process.execPath, [bundle], { cwd: directory, env }, (error, _stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stderr }),
    ),
  )
}

test('the bundle starts without dependencies and has no generated API classes', async () => {
  const content = readFileSync(bundle, 'utf8')
  expect(content).toMatch(/\bclass _?KubeConfig\b/)
  expect(content).not.toMatch(/\bclass _?(V1Deployment|ObjectCoreV1Api)\b/)
  const { code, stderr } = await runBundle({})
  expect(stderr).toContain('no cluster access: set KUBECONFIG')
  expect(code).toBe(1)
})

test('the operator exits with one line if the API server is too old', async () => {
  const api = await startTlsApi(undefined, { '/version': { major: '1', minor: '29' } })
  onTestFinished(() => void api.close())
  const path = makeConfigDirectory().kubeconfig('config', {
    user: { token: 'secret' },
    cluster: { server: api.url },
  })
  expect(await runBundle({ KUBECONFIG: path })).toEqual({
    code: 1,
    stderr: 'Kubernetes 1.29 is not supported. The operator requires 1.30 or later.\n',
  })
})
