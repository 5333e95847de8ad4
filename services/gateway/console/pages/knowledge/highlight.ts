export interface TextPart {
  text: string
  isMatch: boolean
}

/** Runs of Han characters and words of other scripts. */
const runs = /\p{Script=Han}+|[\p{L}\p{N}]+/gu

/** Splits a text at the words of a query. A run of Han that the text lacks is marked by its pairs. */
export function highlight(text: string, query: string): TextPart[] {
  const words = (query.match(runs) ?? []).flatMap((run) => findable(text, run))
  if (words.length === 0) return [{ text, isMatch: false }]
  const longestFirst = [...new Set(words)].sort((one, other) => other.length - one.length)
  const pattern = new RegExp(`(${longestFirst.join('|')})`, 'giu')
  return mergeMatches(
    text
      .split(pattern)
      .map((part, index) => ({ text: part, isMatch: index % 2 === 1 }))
      .filter(({ text: part }) => part !== ''),
  )
}

function findable(text: string, run: string): string[] {
  if (text.toLowerCase().includes(run.toLowerCase())) return [run]
  if (!/\p{Script=Han}/u.test(run)) return []
  const characters = [...run]
  return characters
    .slice(1)
    .map((character, index) => characters[index]! + character)
    .filter((pair) => text.includes(pair))
}

/** Joins neighbours, so that pairs of one run are one mark. */
function mergeMatches(parts: TextPart[]): TextPart[] {
  const merged: TextPart[] = []
  for (const part of parts) {
    const last = merged.at(-1)
    if (last?.isMatch === part.isMatch) last.text += part.text
    else merged.push({ ...part })
  }
  return merged
}
