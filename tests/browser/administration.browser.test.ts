import { expect, test } from 'vitest'
import { card, startConsultation } from './consult.ts'
import { openPage, signIn, useBrowser } from './support.ts'

useBrowser()

test('the keyboard switches a flag, which keeps the focus and its state after a reload', async () => {
  const { page, close } = await openPage('/administration/settings')
  await signIn(page, 'administrator')
  const flag = page.getByLabel('On: collector.sources')
  await flag.focus()
  await page.keyboard.press('Space')
  await expect.poll(() => flag.isChecked()).toBe(true)
  expect(await flag.evaluate((element) => element === document.activeElement)).toBe(true)
  await page.reload()
  await expect.poll(() => flag.isChecked()).toBe(true)
  await close()
})

test('a seed package shows its plan before it is applied', async () => {
  const { page, close } = await openPage('/administration/packages')
  await signIn(page, 'administrator')
  await page.getByRole('button', { name: 'Plan of 平台默认配置' }).click()
  await page.getByRole('rowheader', { name: 'feature_flags' }).waitFor()
  await page.getByRole('button', { name: 'Apply this plan' }).click()
  await page.getByRole('dialog').getByText('Succeeded').waitFor()
  await close()
})

test('a new API token is shown once, listed and revoked', async () => {
  const { page, close } = await openPage('/administration/access')
  await signIn(page, 'administrator')
  await page.locator('summary', { hasText: 'New API token' }).click()
  await page.getByLabel('Name').fill('Reports')
  await page.getByLabel('Matters read').check()
  await page.getByRole('button', { name: 'New API token' }).click()
  await page.getByText(/^lst_/).waitFor()
  await page.getByRole('button', { name: 'Revoke Reports' }).click()
  await page.getByRole('button', { name: 'Yes: Revoke Reports' }).click()
  await page.getByText('No API token').waitFor()
  await close()
})

test('a run shows its spans, and a replay from a checkpoint beside the original', async () => {
  const client = await openPage()
  await signIn(client.page, 'client')
  await startConsultation(client.page, '我借给张三5万元，到期后他一直不还。')
  await card(client.page).waitFor()
  await client.close()

  const { page, close } = await openPage('/administration/runs')
  await signIn(page, 'administrator')
  await page.locator('.list-row').first().click()
  await page.locator('.waterfall button').first().click()
  await page.locator('.waterfall + .event pre').waitFor()
  await page
    .getByRole('button', { name: /Replay from step/ })
    .last()
    .click()
  await page.getByText('Both have the same output.').waitFor()
  await close()
})

test('a lawyer does not see the administration', async () => {
  const { page, close } = await openPage('/administration')
  await signIn(page, 'lawyer')
  await page.getByText('Page not found').waitFor()
  expect(await page.getByRole('link', { name: 'Administration' }).count()).toBe(0)
  await close()
})
