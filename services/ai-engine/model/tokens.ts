import type { Message } from './model.ts'

const han = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu

/** About how many tokens a text is: one for a Han character, one for four of any other. */
export function estimateTokens(text: string): number {
  const characters = text.match(han)?.length ?? 0
  return characters + Math.ceil((text.length - characters) / 4)
}

export const estimateInput = (messages: Message[]) =>
  messages.reduce((sum, { content }) => sum + estimateTokens(content) + 4, 0)
