import { expect, test } from 'vitest'
import { openPage, signIn, useBrowser } from './support.ts'

useBrowser()

test('a person signs in as a sample person, sees the pages of their role and signs out', async () => {
  const { page, close } = await openPage()
  await signIn(page, 'client')
  expect(new URL(page.url()).pathname).toBe('/consultations')
  await page.getByRole('link', { name: 'Matters' }).click()
  await page.getByRole('heading', { name: 'Matters', level: 1 }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/matters')
  await page.reload()
  await page.getByRole('heading', { name: 'Matters', level: 1 }).waitFor()
  await page.locator('summary').click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: '陈小雨' }).waitFor()
  await page.goto('/matters')
  await page.getByRole('button', { name: '陈小雨' }).waitFor()
  await close()
})

test('language and theme change at once and are kept after a reload', async () => {
  const { page, close } = await openPage()
  await page.getByLabel('Language').selectOption('zh')
  await page.getByText('选择一位示例人员').waitFor()
  await page.getByLabel('主题').selectOption('dark')
  await page.reload()
  await page.getByText('选择一位示例人员').waitFor()
  const scheme = await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)
  expect(scheme).toBe('dark')
  expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN')
  await close()
})

test('an unknown page shows a way back', async () => {
  const { page, close } = await openPage('/matters/x/y/z')
  await signIn(page, 'client')
  await page.getByText('Page not found').waitFor()
  await page.getByRole('link', { name: 'Go to the consultations' }).click()
  await page.getByRole('heading', { name: 'Consultations', level: 1 }).waitFor()
  await close()
})

test('the keyboard alone signs in, lands on the heading and skips the navigation', async () => {
  const { page, close } = await openPage()
  await page.getByRole('button', { name: '林律师' }).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.locator('h1:focus').waitFor()
  await page.reload()
  await page.getByRole('navigation').waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')
  await close()
})
