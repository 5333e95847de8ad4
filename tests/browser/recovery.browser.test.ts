import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { composer, messages, send, startConsultation } from './consult.ts'
import { hostileQuestion } from './global-setup.ts'
import { openPage, signIn, useBrowser } from './support.ts'

useBrowser()

const isIdle = (page: Page) => page.locator('.composer textarea:enabled').waitFor()

test('a message is neither lost nor doubled by a reload, a slow load or a network cut at its end', async () => {
  const { page, close } = await openPage()
  await signIn(page, 'client')
  // The title of the session is the first 40 characters, and the 40th takes two code units.
  const first = `${hostileQuestion}${'a'.repeat(32)}😀😀`
  await page.route('**/chat', (route) => route.abort())
  await startConsultation(page, first)
  await page.getByText('Reconnecting…').waitFor()
  await page.unroute('**/chat')
  await page.reload()
  await expect.poll(() => messages(page).count()).toBe(2)
  await isIdle(page)

  // The question whether a turn runs gets no response.
  await page.route('**/stream', () => {})
  await page.reload()
  await isIdle(page)
  await send(page, `${hostileQuestion}2`)
  await expect.poll(() => messages(page).count()).toBe(4)
  await isIdle(page)
  await page.unroute('**/stream')

  await page.route('**/messages?*', (route) => route.abort())
  await send(page, `${hostileQuestion}3`)
  await page.getByText('Reconnecting…').waitFor()
  await page.unroute('**/messages?*')
  await expect.poll(() => messages(page).count()).toBe(6)
  expect(await composer(page).inputValue()).toBe('')
  await close()
})

test('a message that a lost session refused is the draft after the next sign-in, for this person only', async () => {
  const { page, context, close } = await openPage()
  await signIn(page, 'client')
  await startConsultation(page, hostileQuestion)
  await isIdle(page)
  await page.locator('.composer input[type=file]').setInputFiles({
    name: 'note.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('A note.'),
  })
  await page.getByText('Read', { exact: true }).waitFor()
  const { cookies } = await context.storageState()
  await context.clearCookies()
  await send(page, 'A secret')
  await signIn(page, 'lawyer')
  await page.getByRole('link', { name: 'New' }).click()
  expect(await composer(page).inputValue()).toBe('')
  await context.clearCookies()
  await context.addCookies(cookies)
  await page.goBack()
  await page.reload()
  await expect.poll(() => composer(page).inputValue()).toBe('A secret')
  await page.locator('.uploads').getByText('note.txt').waitFor()

  await page.locator('summary').click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: '陈小雨' }).waitFor()
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('A secret')
  await close()
})

test('a tab shows the person who signs in in another tab', async () => {
  const { page, context, close } = await openPage()
  await signIn(page, 'client')
  const other = await context.newPage()
  await other.goto('/')
  await other.locator('summary').click()
  await other.getByRole('button', { name: 'Sign out' }).click()
  await signIn(other, 'lawyer')
  await page.locator('summary', { hasText: '林律师' }).waitFor()
  await close()
})

test('a message that is too long is not cut, and Enter of an input method sends nothing', async () => {
  const { page, close } = await openPage('/consultations/new')
  await signIn(page, 'client')
  await composer(page).fill('字'.repeat(20_001))
  await page.getByText('Too long: 20,001 characters.').waitFor()
  expect((await composer(page).inputValue()).length).toBe(20_001)
  expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
  await composer(page).fill('jie')
  await composer(page).dispatchEvent('keydown', { key: 'Enter', isComposing: true })
  await composer(page).dispatchEvent('keydown', { key: 'Enter', keyCode: 229 })
  expect(await composer(page).inputValue()).toBe('jie')
  await close()
})

test('markup in messages, titles, file names and answers is shown as text', async () => {
  const { page, close } = await openPage()
  await signIn(page, 'client')
  const markup = '<img src=x onerror="pwned=1">'
  await page.getByRole('link', { name: 'New' }).click()
  await page.locator('.composer input[type=file]').setInputFiles({
    name: `${markup}.txt`,
    mimeType: 'text/plain',
    buffer: Buffer.from(markup),
  })
  await page.getByText('Read', { exact: true }).waitFor()
  await send(page, `${markup} ${hostileQuestion}`)
  await page.waitForURL(/consultations\/[\da-f-]{36}/)
  await isIdle(page)
  await messages(page)
    .first()
    .getByRole('link', { name: `${markup}.txt` })
    .waitFor()
  const answer = messages(page).last().locator('.markdown')
  expect(await answer.innerText()).toContain('[a](javascript:pwned=1) <b> *')
  expect(await page.locator('main :is(script, img, a[href^=javascript])').count()).toBe(0)
  await page.getByRole('link', { name: 'Matter', exact: true }).click()
  await page.getByRole('heading', { name: markup }).waitFor()
  expect(await page.evaluate(() => 'pwned' in globalThis)).toBe(false)
  await close()
})

test('an address or a setting that cannot be read shows a page, and a window has its title', async () => {
  const { page, close } = await openPage('/matters/%zz')
  await signIn(page, 'client')
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  for (const stored of ['{bad', '{"language":"xx","theme":1}']) {
    await page.evaluate((text) => localStorage.setItem('console.settings', text), stored)
    await page.goto('/matters')
    await page.getByRole('heading', { name: 'Matters', level: 1 }).waitFor()
    expect(await page.title()).toBe('Matters · Legal suite')
  }
  await page.goto('/matters/none')
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await page.goto('/consultations/none')
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await close()
})
