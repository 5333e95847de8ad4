import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { bundleOperator } from './build.ts'

test('the bundle starts without dependencies and has no generated API classes', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'legal-suite-bundle-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const bundle = join(directory, 'operator.mjs')
  await bundleOperator(bundle)
  const content = readFileSync(bundle, 'utf8')
  expect(content).toMatch(/\bclass _?KubeConfig\b/)
  expect(content).not.toMatch(/\bclass _?(V1Deployment|ObjectCoreV1Api)\b/)

  const env = { PATH: process.env.PATH, HOME: directory }
  const output = await new Promise<string>((resolve) =>
    execFile(process.execPath, [bundle], { cwd: directory, env }, (_error, _stdout, stderr) =>
      resolve(stderr),
    ),
  )
  expect(output).toContain('no cluster access: set KUBECONFIG')
})
