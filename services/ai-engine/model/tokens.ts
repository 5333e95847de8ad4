import { imageTokens } from './images.ts'
import type { Message } from './model.ts'

const han = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu

/** Estimates the tokens of a text: one per Han character, one per four other characters. */
export function estimateTokens(text: string): number {
  const characters = text.match(han)?.length ?? 0
  return characters + Math.ceil((text.length - characters) / 4)
}

export const estimateInput = (messages: Message[]) =>
  messages.reduce(
    (sum, { content, images = [] }) =>
      sum + estimateTokens(content) + images.length * imageTokens + 4,
    0,
  )
