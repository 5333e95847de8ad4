import type { Found } from './found.ts'
import { longWords, plainOf } from './texts.ts'
import { byScore } from './top.ts'

/** What a match in the title, in the section's name and of a phrase may add, of the best score. */
const titleBonus = 0.02
const sectionBonus = 0.02
const phraseBonus = 0.04
/** A phrase is at least this long. */
const shortest = 4

/** The first `most` looked at closely; what comes after them stays after them. */
export function rescored(query: string, found: readonly Found[], most: number): Found[] {
  const close = found.slice(0, most)
  const top = close[0]?.score ?? 0
  const asked = longWords(query)
  const plain = plainOf(query)
  const scored = close.map(({ base, seq, score, row }) => {
    const bonus =
      titleBonus * shareIn(asked, row.texts.title) +
      sectionBonus * shareIn(asked, row.texts.section) +
      phraseBonus * phraseShare(plain, row.texts.plain)
    return { base, seq, score: score + top * bonus, row }
  })
  scored.sort(byScore)
  return [...scored, ...found.slice(most)]
}

/** How much of a short text the question says, from 0 to 1. */
function shareIn(asked: ReadonlySet<string>, all: ReadonlySet<string>): number {
  if (all.size === 0) return 0
  let shared = 0
  for (const word of all) if (asked.has(word)) shared++
  return shared / all.size
}

/** How long a stretch of the question stands in the text as it is, from 0 to 1. */
function phraseShare(query: string, text: string): number {
  let longest = 0
  for (let from = 0; from + Math.max(shortest, longest + 1) <= query.length; from++) {
    let to = from + Math.max(shortest, longest + 1)
    while (to <= query.length && text.includes(query.slice(from, to))) {
      longest = to - from
      to++
    }
    if (from > 200) break
  }
  return longest === 0 ? 0 : Math.min(1, longest / Math.min(query.length, 12))
}
