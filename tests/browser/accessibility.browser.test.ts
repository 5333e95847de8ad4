import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { card, startConsultation } from './consult.ts'
import { findViolations, openPage, phone, signIn, useBrowser, withSettings } from './support.ts'

useBrowser()

/** Pages of the console and the part that shows that they are loaded. */
const pages: [path: string, loaded: string][] = [
  ['/consultations', '.start, .long-list'],
  ['/consultations/new', '.samples'],
  ['/matters', '.long-list'],
]
const matterTabs = ['overview', 'evidence', 'assessment', 'calculations', 'documents', 'history']

const story = '我在2023年5月1日借给张三5万元，约定一年后归还，到期后他一直不还。'

async function expectAccessible(page: Page, label: string) {
  expect(await findViolations(page), label).toEqual([])
  const { scrollWidth, clientWidth } = await page.evaluate(() => ({
    scrollWidth: document.documentElement.scrollWidth,
    clientWidth: document.documentElement.clientWidth,
  }))
  expect(scrollWidth, `${label}: width of the page`).toBeLessThanOrEqual(clientWidth)
}

test('no page has an accessibility violation in either language, theme or size', async () => {
  const first = await openPage()
  await signIn(first.page, 'client')
  await startConsultation(first.page, story)
  await card(first.page).waitFor()
  const consultation = new URL(first.page.url()).pathname
  const matter = await first.page
    .getByRole('link', { name: 'Matter', exact: true })
    .getAttribute('href')
  const { cookies } = await first.context.storageState()
  await first.close()

  const all: [string, string][] = [
    ...pages,
    [consultation, 'form.card'],
    ...matterTabs.map((tab): [string, string] => [`${matter}?tab=${tab}`, '.tabs']),
  ]
  for (const [language, theme, viewport] of [
    ['zh', 'light', undefined],
    ['en', 'dark', undefined],
    ['zh', 'dark', phone],
    ['en', 'light', phone],
  ] as const) {
    const { storageState } = withSettings(language, theme)
    const { page, close } = await openPage('/', {
      storageState: { ...storageState, cookies },
      ...(viewport && { viewport }),
    })
    for (const [path, loaded] of all) {
      await page.goto(path)
      await page.locator(loaded).first().waitFor()
      await expectAccessible(page, `${path} ${language} ${theme}`)
    }
    await close()
  }
})
