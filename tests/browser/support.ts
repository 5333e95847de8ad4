import axe from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject } from 'vitest'
import { findChromium } from './chromium.ts'

export const origin = inject('origin')
export const desktop = { width: 1280, height: 800 }
export const phone = { width: 390, height: 844 }

let browser: Browser
/** Starts a browser for the tests of a file. */
export function useBrowser() {
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: findChromium()!, args: ['--no-sandbox'] })
  })
  afterAll(() => browser?.close())
}

/** Opens a page in a context of its own. An error in the page or its console fails the test. */
export async function openPage(path = '/', options: BrowserContextOptions = {}) {
  const context = await browser.newContext({
    locale: 'en-GB',
    baseURL: origin,
    viewport: desktop,
    ...options,
  })
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('console', (message) => {
    // A failed request is logged by the browser; the page shows it.
    const isRequest = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isRequest) errors.push(message.text())
  })
  await page.goto(path)
  return {
    page,
    context,
    async close() {
      await context.close()
      expect(errors).toEqual([])
    },
  }
}

export type Person = 'client' | 'lawyer' | 'administrator'
const names = { client: '陈小雨', lawyer: '林律师', administrator: '周主任' }

/** Signs in as a sample person on the sign-in page and waits for the shell. */
export async function signIn(page: Page, person: Person) {
  await page.getByRole('button', { name: names[person] }).click()
  await page.getByRole('navigation').first().waitFor()
}

/** Lists violations of WCAG 2.2 AA on a page, with the elements: by all rules, or by those of contrast. */
export async function findViolations(page: Page, rules: 'all' | 'contrast' = 'all') {
  // The policy of the page refuses scripts in the page; the context of the debugger is not the page.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source)
  const { violations } = await page.evaluate(async (chosen) => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') }
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
    const runOnly = chosen === 'all' ? tags : { type: 'rule' as const, values: ['color-contrast'] }
    return axe.run({ runOnly, resultTypes: ['violations'] })
  }, rules)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  )
}

/** Chooses language and theme before the page loads. */
export const withSettings = (language: 'zh' | 'en', theme: 'light' | 'dark') => ({
  storageState: {
    cookies: [],
    origins: [
      {
        origin,
        localStorage: [{ name: 'console.settings', value: JSON.stringify({ language, theme }) }],
      },
    ],
  },
})
