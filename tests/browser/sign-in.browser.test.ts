import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OidcProvider, startOidcProvider } from '../support/oidc.ts'
import { type Running, run } from '../support/process.ts'
import { openPage, useBrowser } from './support.ts'

useBrowser()

const people = { lin: { name: '林律师', organization_id: 'firm-a', roles: ['attorneys'] } }
const port = 25_000 + (process.pid % 800) * 10
const address = `http://127.0.0.1:${port}`
const directory = mkdtempSync(join(tmpdir(), 'legal-suite-sign-in-'))
let provider: OidcProvider
let suite: Running
beforeAll(async () => {
  provider = await startOidcProvider(people, address)
  suite = run(process.execPath, ['services/_run/start.js', '--only', 'memory'], {
    ...provider.env,
    PORT: String(port),
    DATA_DIR: directory,
    LOG_LEVEL: 'warn',
  })
  await suite.waitForOutput('internal key:')
})
afterAll(async () => {
  await suite.stop()
  await provider.close()
  rmSync(directory, { recursive: true, force: true })
})

test('a person signs in at a provider, returns to the page of the link and signs out', async () => {
  const { page, close } = await openPage(`${address}/calculators?from=link`)
  await page.getByRole('link', { name: 'Sign in with your organization' }).click()
  await page.waitForURL(`${address}/calculators?from=link`)
  await page.locator('summary', { hasText: '林律师' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL(`${provider.issuer}/**`)
  await page.goto(`${address}/matters`)
  await page.getByRole('link', { name: 'Sign in with your organization' }).waitFor()
  expect(await page.getByRole('navigation').count()).toBe(0)
  await close()
})
