import type { BrowserContext } from 'playwright-core'
import { expect, test } from 'vitest'
import gateway from '../../services/gateway/service.ts'
import { publicUrl, startOidcProvider } from '../support/oidc.ts'
import { stage } from '../support/stage.ts'
import { openPage, useBrowser } from './support.ts'

useBrowser()

/** Sends the requests of a browser for the public address to a gateway in this process. */
const routeToGateway = (context: BrowserContext, send: (request: Request) => Promise<Response>) =>
  context.route(`${publicUrl}/**`, async (route) => {
    const request = route.request()
    const body = request.postDataBuffer()
    const response = await send(
      new Request(request.url(), {
        method: request.method(),
        headers: await request.allHeaders(),
        redirect: 'manual',
        ...(body && { body: new Uint8Array(body) }),
      }),
    )
    await route.fulfill({
      status: response.status,
      headers: {
        ...Object.fromEntries(response.headers),
        'set-cookie': response.headers.getSetCookie().join('\n'),
      },
      body: Buffer.from(await response.arrayBuffer()),
    })
  })

test('a person signs in at a provider, returns to the page of the link and signs out', async () => {
  const people = { lin: { name: '林律师', organization_id: 'firm-a', roles: ['attorneys'] } }
  const provider = await startOidcProvider(people)
  const at = await stage(gateway, { env: provider.env })
  const { page, context, close } = await openPage('about:blank')
  await routeToGateway(context, async (request) => at.fetch(request))
  await page.goto(`${publicUrl}/matters?status=ACTIVE`)
  await page.getByRole('link', { name: 'Sign in with your organization' }).click()
  await page.waitForURL(`${publicUrl}/matters?status=ACTIVE`)
  await page.locator('summary', { hasText: '林律师' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL(`${provider.issuer}/**`)
  await page.goto(`${publicUrl}/matters`)
  await page.getByRole('link', { name: 'Sign in with your organization' }).waitFor()
  expect(await page.getByRole('navigation').count()).toBe(0)
  await close()
  await at.close()
  await provider.close()
})
