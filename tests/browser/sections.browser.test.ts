import { expect, test } from 'vitest'
import { findViolations, openPage, phone, signIn, useBrowser, withSettings } from './support.ts'

useBrowser()

const loan =
  'principal=50000&made_on=2023-05-01&from=2023-05-01&to=2026-05-01&overdue_from=2024-05-01'

/** Pages of the calculators, of knowledge and of the administration, and the part that shows that they are loaded. */
const pages: [path: string, loaded: string][] = [
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
  ['/administration/usage', '.empty, .figures'],
  ['/administration/runs', '.filters'],
  ['/administration/packages', '.todo'],
  ['/administration/collection', '.empty, .todo'],
  ['/administration/access', '.todo'],
  ['/administration/webhooks', '.inputs'],
]

test.each([
  ['zh', 'dark', phone],
  ['en', 'light', { width: 1280, height: 800 }],
] as const)(
  'no page of the sections has an accessibility violation in %s and %s',
  async (language, theme, viewport) => {
    const { page, close } = await openPage('/', { ...withSettings(language, theme), viewport })
    await signIn(page, 'administrator')
    for (const [path, loaded] of pages) {
      await page.goto(path)
      await page.locator(loaded).first().waitFor()
      expect(await findViolations(page), path).toEqual([])
      const width = await page.evaluate(() => document.documentElement.scrollWidth)
      expect(width, `${path}: width of the page`).toBeLessThanOrEqual(viewport.width)
    }
    await close()
  },
)
