import { expect, test } from 'vitest'
import { openPage, signIn, useBrowser } from './support.ts'

useBrowser()

test('a calculator shows its faults, then result and steps, and its link opens the same result', async () => {
  const { page, context, close } = await openPage()
  await signIn(page, 'client')
  await page.getByRole('link', { name: 'Calculators' }).click()
  await page.getByRole('link', { name: 'Interest under a private loan' }).click()
  await page.getByRole('button', { name: 'Calculate' }).click()
  await page.getByText('Please fill in this field.').first().waitFor()
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT')

  await page.getByLabel('Principal (yuan)').fill('50,000')
  await page.getByLabel('Date of the contract').fill('2023-05-01')
  await page.getByLabel('First day of interest').fill('2023-05-01')
  await page.getByLabel('Interest up to').fill('2022-05-01')
  await page.getByRole('button', { name: 'Calculate' }).click()
  await page.getByText('Must not be before “First day of interest”.').waitFor()

  await page.getByLabel('Interest up to').fill('2026-05-01')
  await page.getByLabel('First day of default').fill('2024-05-01')
  await page.getByRole('button', { name: 'Calculate' }).click()
  // The LPR on the first day of default is 3.45 %: 50,000 × 3.45 % × 2 years.
  const first = page.getByRole('region', { name: 'First reading' })
  await first.getByText('3,450.00').first().waitFor()
  await page.getByRole('region', { name: 'Overdue interest by the LPR of each day' }).waitFor()

  const other = await context.newPage()
  await other.goto(page.url())
  await other.getByRole('region', { name: 'First reading' }).getByText('3,450.00').first().waitFor()
  await close()
})

test('the keyboard alone adds a payment to a calculation and removes it', async () => {
  const { page, close } = await openPage('/calculators/loan_interest')
  await signIn(page, 'lawyer')
  await page.getByRole('button', { name: 'Add to Payments' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('group', { name: 'Payments 1' }).waitFor()
  await page.getByRole('button', { name: 'Remove Payments 1' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('group', { name: 'Payments 1' }).waitFor({ state: 'detached' })
  await close()
})
