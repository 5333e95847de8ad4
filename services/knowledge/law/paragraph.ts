import { numeral } from '../../_kit/chunk/numeral.ts'
import { arabic } from '../../_kit/tokenize.ts'

const itemMark = new RegExp(`^[(（](${numeral})[)）]`)

/**
 * Returns the paragraph (款) or item (项) of an article, or null if the article does not have it.
 * Without paragraph and item, returns the whole article. A single-line text is also returned whole,
 * because its line breaks between paragraphs may be lost.
 */
export function extractParagraph(
  content: string,
  paragraph: number | null,
  item: number | null,
): string | null {
  const lines = content.split('\n').filter((line) => line.trim() !== '')
  if ((paragraph === null && item === null) || lines.length < 2) return content
  const paragraphs: string[][] = []
  for (const line of lines) {
    if (itemMark.test(line.trim()) && paragraphs.length > 0) paragraphs.at(-1)!.push(line)
    else paragraphs.push([line])
  }
  const chosen = paragraph === null ? lines : paragraphs[paragraph - 1]
  if (!chosen || item === null) return chosen?.join('\n') ?? null
  return chosen.find((line) => itemNumber(line) === item) ?? null
}

function itemNumber(line: string): number | null {
  const mark = itemMark.exec(line.trim())
  return mark ? arabic(mark[1]!) : null
}
