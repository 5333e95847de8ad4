import { readFile } from 'node:fs/promises'
import { unzipSync } from 'fflate'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { tcpProxy } from '../support/tcp-proxy.ts'
import {
  answerCard,
  answerCards,
  card,
  composer,
  messages,
  send,
  startConsultation,
} from './consult.ts'
import { slowAnswer, slowQuestion } from './global-setup.ts'
import { releaseVersion } from './new-version.ts'
import { openPage, origin, phone, signIn, useBrowser } from './support.ts'

useBrowser()

const story =
  'I lent my colleague Tom Chen 50,000 yuan on May 1, 2023. He promised to repay within a year but he refuses to pay me back. I want my money back.'
/** The answer as a reader sees it: without the space that the browser collapses. */
const answerText = async (page: Page) =>
  (await messages(page).last().locator('.markdown').innerText()).replaceAll(/\s/g, '')
const expected = slowAnswer.join('').replaceAll(/[\s*]/g, '')

test('a consultation runs from the first message over cards to a document that opens', async () => {
  const { page, close } = await openPage()
  await signIn(page, 'client')
  await startConsultation(page, story)
  await card(page).waitFor()
  expect(await composer(page).isDisabled()).toBe(true)

  // A required answer is missing.
  const field = card(page).locator('input[inputmode=decimal]').first()
  await field.fill('')
  await page.getByRole('button', { name: 'Answer', exact: true }).click()
  await card(page).getByText('An answer is required.').first().waitFor()
  await field.fill('50000')

  // After a reload it is the same card with the same draft.
  const title = await card(page).getByRole('heading').innerText()
  await page.reload()
  await card(page).waitFor()
  expect(await card(page).getByRole('heading').innerText()).toBe(title)
  expect(await field.inputValue()).toBe('50000')

  await answerCards(page)
  await page.getByRole('link', { name: 'Matter', exact: true }).click()
  await page.getByRole('heading', { name: 'Documents' }).waitFor()
  const download = page.waitForEvent('download')
  await page
    .getByRole('link', { name: /Download.*docx/i })
    .first()
    .click()
  const bytes = await readFile(await (await download).path())
  expect(Object.keys(unzipSync(bytes))).toContain('word/document.xml')

  const matterId = new URL(page.url()).pathname.split('/').at(-1)!
  await releaseVersion(page, matterId, bytes, ['50,000', '60,000'])
  await page.reload()
  await page.getByRole('button', { name: /Compare versions/ }).click()
  const comparison = page.getByRole('dialog')
  await comparison.getByText('The versions differ.').waitFor()
  expect(await comparison.locator('.removed').first().innerText()).toContain('50,000')
  expect(await comparison.locator('.added').first().innerText()).toContain('60,000')
  await close()
})

test('an answer over a network that is cut has every word once', async () => {
  const proxy = await tcpProxy(Number(new URL(origin).port))
  const address = `http://127.0.0.1:${proxy.port}`
  const { page, close } = await openPage(`${address}/`)
  await signIn(page, 'client')
  await startConsultation(page, slowQuestion)
  await page.getByText('第2句话').waitFor()
  await proxy.setMode('refused')
  await page.getByText('Reconnecting…').waitFor()
  await proxy.setMode('open')
  await page.getByText('第8句话').waitFor()
  await proxy.setMode('reset')
  await page.getByText('Reconnecting…').waitFor()
  await proxy.setMode('open')
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
  await expect.poll(() => answerText(page)).toBe(expected)
  expect(await messages(page).count()).toBe(2)
  await close()
  await proxy.close()
})

test('two tabs show the same answer while it arrives and the same end', async () => {
  const { page, context, close } = await openPage()
  await signIn(page, 'client')
  await startConsultation(page, slowQuestion)
  await page.getByText('第1句话').waitFor()
  const other = await context.newPage()
  await other.goto(page.url())
  await other.getByText('第1句话').waitFor()
  for (const tab of [page, other]) {
    await tab.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
    await expect.poll(() => answerText(tab)).toBe(expected)
  }
  await send(other, slowQuestion)
  await page.getByRole('button', { name: 'Stop' }).waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('You stopped the answer').waitFor()
  await expect.poll(() => messages(other).count()).toBe(4)
  await close()
})

test('a card that one tab answers is replaced by the next one in the other tab', async () => {
  const { page, context, close } = await openPage()
  await signIn(page, 'client')
  await startConsultation(page, story)
  await card(page).waitFor()
  const other = await context.newPage()
  await other.goto(page.url())
  await card(other).waitFor()
  const element = await card(other).elementHandle()
  await answerCard(page)
  await element!.waitForElementState('hidden')
  await card(page).waitFor()
  const questions = await card(page).locator('.question').allInnerTexts()
  await expect.poll(() => card(other).locator('.question').allInnerTexts()).toEqual(questions)
  await close()
})

test('a citation of an answer opens the article with its state', async () => {
  const { page, close } = await openPage()
  await signIn(page, 'client')
  await startConsultation(page, '我在2023年5月1日借给张三5万元，约定一年后归还，到期后他一直不还。')
  await card(page).waitFor()
  await answerCard(page)
  const citation = page.getByRole('button', { name: '《民法典》第六百七十五条' }).first()
  await citation.click()
  const panel = page.getByRole('dialog', { name: '民法典, 第六百七十五条' })
  await panel.getByText('In force', { exact: true }).waitFor()
  await panel.getByRole('button', { name: 'Close' }).click()
  await panel.waitFor({ state: 'detached' })
  await close()
})

test('a file is uploaded, read and sent with a message on a phone', async () => {
  const { page, close } = await openPage('/', { viewport: phone })
  await signIn(page, 'client')
  await page.getByRole('link', { name: 'New' }).click()
  await page.locator('.composer input[type=file]').setInputFiles({
    name: 'IOU.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('IOU: I borrowed 50,000 yuan. Tom Chen'),
  })
  await page.getByText('Read', { exact: true }).waitFor()
  await send(page, story)
  await card(page).waitFor()
  await messages(page).first().getByRole('link', { name: 'IOU.txt' }).waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.width)
  await close()
})

test('a sample starts a consultation, and a skipped card is gone while it goes on', async () => {
  const { page, close } = await openPage()
  await signIn(page, 'client')
  await page.getByRole('button', { name: /^I lent Zhang San/ }).click()
  const skip = page.getByRole('button', { name: 'Skip' })
  for (;;) {
    await card(page).waitFor()
    if (await skip.isVisible()) break
    await answerCard(page)
  }
  const id = await card(page).elementHandle()
  const before = await messages(page).count()
  await skip.click()
  await id!.waitForElementState('hidden')
  await card(page).or(page.locator('.composer textarea:enabled')).waitFor()
  await expect.poll(() => messages(page).count()).toBeGreaterThan(before)
  expect(await page.locator('.notice').count()).toBe(0)
  await close()
})

test('files dropped anywhere show their progress, can be removed and are sent', async () => {
  const { page, close } = await openPage('/consultations/new')
  await signIn(page, 'client')
  let send = () => {}
  const isSent = new Promise<void>((resolve) => {
    send = resolve
  })
  await page.route('**/upload', async (route) => {
    await isSent
    await route.continue()
  })
  const files = await page.evaluateHandle(() => {
    const transfer = new DataTransfer()
    for (const name of ['first.txt', 'second.txt']) transfer.items.add(new File(['IOU'], name))
    return transfer
  })
  await page.dispatchEvent('h1', 'dragover', { dataTransfer: files })
  await page.locator('.composer.over').waitFor()
  await page.dispatchEvent('h1', 'drop', { dataTransfer: files })
  await page.getByRole('progressbar', { name: 'Uploading first.txt' }).waitFor()
  await composer(page).fill(story)
  expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Remove second.txt' }).click()
  send()
  await page.getByText('Read', { exact: true }).waitFor()
  await composer(page).press('Enter')
  await messages(page).first().getByRole('link', { name: 'first.txt' }).waitFor()
  expect(await page.getByRole('link', { name: 'second.txt' }).count()).toBe(0)
  await close()
})

test('the keyboard alone starts a consultation and answers its card', async () => {
  const { page, close } = await openPage()
  await signIn(page, 'client')
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  await composer(page).focus()
  await page.keyboard.type(story)
  await press('Enter')
  await card(page).waitFor()
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('card-title')
  for (let tabs = 0; tabs < 40; tabs++) {
    await press('Tab')
    const focused = await page.evaluate(() => ({
      isUnknown: document.activeElement?.closest('.question > .check') !== null,
      isSubmit: document.activeElement?.matches('.card [type=submit]'),
    }))
    if (focused.isUnknown) await press('Space')
    if (focused.isSubmit) break
  }
  const before = await messages(page).count()
  await press('Enter')
  await expect.poll(() => messages(page).count()).toBeGreaterThan(before)
  await close()
})
