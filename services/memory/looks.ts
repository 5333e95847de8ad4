import { type Counted, has, makeScore, type Statistics, statisticsOf } from './bm25.ts'
import { sizeOf, sizes } from './terms.ts'

/** A word in no more facts of the sample than this is so rare that the sample can't tell how rare. */
const fewInSample = 3
/** Facts that the rare words may have in all, by what the sample tells. */
const mostOfRare = 1_000
/** Sets of common words that are looked for together. */
const mostSets = 8
/** More words of a set would find little else: the commoner ones weigh little. */
const wordsPerSet = 3
/** A set that this many facts have in all is not looked for in longer ones. */
const enough = 300
/** Entries of the index that all sets together may walk, by what the sample tells. */
const mostWalked = 80_000

/** The words, by their places, of which every fact is worth a look: the rarest of the question. */
export function rareOf(statistics: Statistics, scale: number): number[] {
  const { having } = statistics
  let facts = 0
  return [...having.keys()]
    .sort((a, b) => having[a]! - having[b]!)
    .filter((place) => {
      facts += having[place]! * scale
      return facts <= mostOfRare || having[place]! <= fewInSample
    })
}

/** Words by their places in the question, to be looked for together in facts of one size. */
export interface Look {
  places: number[]
  size: number
}

/**
 * Which common words to look for together, to find facts that rank above those of a sample: the words
 * that its best facts have, in short facts first. One fact of the sample stands for `scale` of them.
 */
export function looksFor(
  sample: Counted[],
  statistics: Statistics,
  scale: number,
  rare: number[],
): Look[] {
  const bySize = sizes.map((): Counted[] => [])
  for (const fact of sample) bySize[sizeOf(fact.length)]!.push(fact)
  const having = bySize.map((facts) => statisticsOf(facts, statistics.having.length).having)

  const looks: Look[] = []
  let walked = 0
  for (const places of setsOf(sample, statistics, rare)) {
    let expected = 0
    for (const size of sizes) {
      const entries = places.reduce((sum, place) => sum + having[size]![place]!, 0) * scale
      if (walked + entries > mostWalked) continue
      walked += entries
      looks.push({ places, size })
      expected += bySize[size]!.filter((fact) => hasAll(fact, places)).length * scale
      if (expected >= enough) break
    }
  }
  return looks
}

const hasAll = (fact: Counted, places: number[]) => places.every((place) => has(fact, place))

/** The words of the best facts in the sample: the rarest of those that are common. */
function setsOf(sample: Counted[], statistics: Statistics, rare: number[]): number[][] {
  const { having } = statistics
  const scoreOf = makeScore(statistics)
  const ranked = sample
    .map((fact) => ({ fact, score: scoreOf(fact) }))
    .sort((a, b) => b.score - a.score)
  const sets = new Map<string, number[]>()
  for (const { fact } of ranked) {
    const places = [...fact.counts.keys()]
      .filter((place) => has(fact, place) && !rare.includes(place))
      .sort((a, b) => having[a]! - having[b]! || a - b)
      .slice(0, wordsPerSet)
    if (places.length > 0) sets.set(places.join(), places)
    if (sets.size === mostSets) break
  }
  return [...sets.values()]
}
