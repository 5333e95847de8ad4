import { expect, test } from 'vitest'
import { openPage, signIn, useBrowser } from './support.ts'

useBrowser()

test('a search marks the words of the query and keeps its filters in the address', async () => {
  const { page, close } = await openPage('/knowledge')
  await signIn(page, 'client')
  await page.getByLabel('Question or words').fill('拖欠工资')
  await page.getByLabel('Type').selectOption('statute_digest')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.locator('.hits mark').first().waitFor()
  expect(await page.locator('.hits mark').first().innerText()).toMatch(/拖欠|工资/)
  await page.reload()
  await page.locator('.hits mark').first().waitFor()
  expect(await page.getByLabel('Type').inputValue()).toBe('statute_digest')
  expect(await page.getByRole('link', { name: 'Knowledge bases' }).count()).toBe(0)
  await close()
})

test('a cited article opens in its law beside another edition', async () => {
  const { page, close } = await openPage('/knowledge/causes/private_lending')
  await signIn(page, 'lawyer')
  await page.getByText('Burden: claimant').first().waitFor()
  await page.getByRole('link', { name: '《民法典》第六百六十七条' }).first().click()
  await page.locator('article.target').waitFor()
  expect(await page.locator('article.target').innerText()).toContain('第六百六十七条')
  await page.getByLabel('Compare with').fill('2022-01-01')
  await page.getByRole('button', { name: 'Show' }).click()
  await page.getByText('Show changed articles only').waitFor()
  expect(await page.locator('article.pair').first().locator('p').count()).toBe(2)
  await close()
})

test('the keyboard alone chooses a node of the graph and sees its neighbours', async () => {
  const { page, close } = await openPage('/knowledge/causes/private_lending?view=graph')
  await signIn(page, 'client')
  await page.getByRole('button', { name: 'Agreement to lend' }).focus()
  await page.keyboard.press('Enter')
  const neighbours = page.locator('.neighbours')
  await neighbours.getByRole('link', { name: '《民法典》第六百六十七条' }).waitFor()
  await close()
})

test('a file attached to a new base is indexed by a job and found', async () => {
  const { page, close } = await openPage('/knowledge/bases')
  await signIn(page, 'lawyer')
  await page.getByLabel('Name of a new base').fill('Notes on leases')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('link', { name: 'Notes on leases' }).click()
  await page.getByLabel('Attach files').setInputFiles({
    name: 'lease.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('The kumquat clause of a lease lets the tenant plant a tree.'),
  })
  await page.getByText('Searchable', { exact: true }).waitFor()
  await page.goto('/knowledge?q=kumquat')
  await page.locator('.hits mark', { hasText: 'kumquat' }).first().waitFor()
  await close()
})
