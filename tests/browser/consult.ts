import type { Locator, Page } from 'playwright-core'

/** The card that waits for an answer. */
export const card = (page: Page) => page.locator('form.card')
export const messages = (page: Page) => page.locator('article.message')

/** The input of messages. */
export const composer = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true })

export async function send(page: Page, message: string) {
  await composer(page).fill(message)
  await composer(page).press('Enter')
}

/** Starts a consultation with its first message. */
export async function startConsultation(page: Page, message: string) {
  await page.getByRole('link', { name: 'New' }).click()
  await send(page, message)
  await page.waitForURL(/consultations\/[\da-f-]{36}/)
}

/** Cards after which a consultation counts as endless. */
const maxCards = 15

/** Answers cards until none is pending. */
export async function answerCards(page: Page) {
  for (let answered = 0; answered < maxCards; answered++) {
    await card(page).or(page.locator('.composer textarea:enabled')).waitFor()
    if (!(await card(page).isVisible())) return
    await answerCard(page)
  }
  throw new Error(`more than ${maxCards} cards`)
}

/** Answers the pending card by the types of its questions. */
export async function answerCard(page: Page) {
  for (const question of await card(page).locator('.question').all()) await answer(question)
  const element = await card(page).elementHandle()
  await page.getByRole('button', { name: 'Answer', exact: true }).click()
  await element!.waitForElementState('hidden')
}

async function answer(question: Locator) {
  const unknown = question.locator(':scope > .check input')
  const control = question.locator('input, textarea, select').first()
  if ((await control.getAttribute('type')) === 'file') return unknown.check()
  if ((await control.getAttribute('type')) === 'date') {
    if ((await control.inputValue()) === '') await control.fill('2023-05-01')
    return
  }
  if ((await question.locator('fieldset').count()) > 0) {
    if ((await question.locator('fieldset input:checked').count()) === 0) await control.check()
    return
  }
  const tag = await control.evaluate((element) => element.tagName)
  if (tag === 'SELECT') {
    if ((await control.inputValue()) === '') await control.selectOption({ index: 1 })
    return
  }
  if ((await control.inputValue()) !== '') return
  const isNumber = (await control.getAttribute('inputmode')) === 'decimal'
  await control.fill(isNumber ? '50000' : 'Tom Chen')
}
