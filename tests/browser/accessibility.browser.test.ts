import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { card, startConsultation } from './consult.ts'
import {
  desktop,
  findViolations,
  openPage,
  type Person,
  phone,
  signIn,
  useBrowser,
  withSettings,
} from './support.ts'

useBrowser()

/** Pages and the part that shows that they are loaded. */
type Pages = [path: string, loaded: string][]

const themes = ['light', 'dark'] as const
const sizes = { desktop, phone }

/** Checks a page in both themes and sizes. Structure does not depend on the theme, contrast does. */
async function expectAccessible(page: Page, label: string) {
  for (const [size, viewport] of Object.entries(sizes)) {
    await page.setViewportSize(viewport)
    for (const theme of themes) {
      await page.evaluate((value) => {
        document.documentElement.dataset.theme = value
      }, theme)
      const rules = theme === 'light' ? 'all' : 'contrast'
      expect(await findViolations(page, rules), `${label} ${theme} ${size}`).toEqual([])
    }
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(width, `${label}: width of the page`).toBeLessThanOrEqual(viewport.width)
  }
}

async function checkPages(language: 'zh' | 'en', person: Person, pages: Pages) {
  const { page, close } = await openPage('/', withSettings(language, 'light'))
  await page.locator('.people').waitFor()
  await expectAccessible(page, `sign-in ${language}`)
  await signIn(page, person)
  for (const [path, loaded] of pages) {
    await page.setViewportSize(desktop)
    await page.goto(path)
    await page.locator(loaded).first().waitFor()
    await expectAccessible(page, `${path} ${language}`)
  }
  await page.setViewportSize(desktop)
  await page.locator('summary').first().click()
  await expectAccessible(page, `account menu ${language}`)
  await close()
}

const story = '我在2023年5月1日借给张三5万元，约定一年后归还，到期后他一直不还。'
const matterTabs = ['overview', 'evidence', 'assessment', 'calculations', 'documents', 'history']

test('no page of a client has an accessibility violation in either language, theme or size', async () => {
  const { page, close } = await openPage()
  await signIn(page, 'client')
  await startConsultation(page, story)
  await card(page).waitFor()
  const consultation = new URL(page.url()).pathname
  const matter = await page.getByRole('link', { name: 'Matter', exact: true }).getAttribute('href')
  await close()
  const pages: Pages = [
    ['/consultations', '.long-list'],
    ['/consultations/new', '.samples'],
    [consultation, 'form.card'],
    ['/matters', '.long-list'],
    ...matterTabs.map((tab): [string, string] => [`${matter}?tab=${tab}`, '.tabs']),
  ]
  for (const language of ['zh', 'en'] as const) await checkPages(language, 'client', pages)
})

const loan =
  'principal=50000&made_on=2023-05-01&from=2023-05-01&to=2026-05-01&overdue_from=2024-05-01'

/** Pages of the calculators, of knowledge and of the administration. */
const sectionPages: Pages = [
  ['/calculators', '.tile'],
  [`/calculators/loan_interest?${loan}`, '.readings'],
  ['/knowledge?q=拖欠工资', '.hits'],
  ['/knowledge/law?law=劳动合同法&compare=2020-01-01', '.law'],
  ['/knowledge/causes', '.tile'],
  ['/knowledge/causes/private_lending', '.element'],
  ['/knowledge/causes/private_lending?view=graph', '.graph'],
  ['/knowledge/bases', '.tile'],
  ['/administration', '.tile'],
  ['/administration/settings', '.todo'],
  ['/administration/audit', '.filters'],
  ['/administration/usage', '.figures'],
  ['/administration/runs', '.filters'],
  ['/administration/packages', '.todo'],
  ['/administration/collection', '.empty, .todo'],
  ['/administration/access', '.todo'],
  ['/administration/webhooks', '.inputs'],
]

test.each(['zh', 'en'] as const)(
  'no page of the sections has an accessibility violation in %s, either theme or size',
  (language) => checkPages(language, 'administrator', sectionPages),
)
