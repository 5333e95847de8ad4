/** Normalizes a text for comparison: NFKC, lower case, no punctuation, single spaces. */
export const normalizeText = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{P}\p{S}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()

/**
 * Returns true if two normalized texts are similar: 1 − edit distance / length of the longer text is at
 * least `minSimilarity`. Stops as soon as the distance exceeds the limit.
 */
export function isSimilar(a: string, b: string, minSimilarity: number): boolean {
  if (a === b) return true
  const maxLength = Math.max(a.length, b.length)
  const maxEdits = Math.floor(maxLength * (1 - minSimilarity) + 1e-9)
  if (Math.abs(a.length - b.length) > maxEdits || bagDistance(a, b) > maxEdits) return false
  return withinEditDistance(a, b, maxEdits)
}

/** Lower bound of the edit distance: the larger multiset difference of the letters. */
function bagDistance(a: string, b: string): number {
  const counts = new Map<number, number>()
  for (let i = 0; i < a.length; i++) add(counts, a.charCodeAt(i), 1)
  for (let i = 0; i < b.length; i++) add(counts, b.charCodeAt(i), -1)
  let surplus = 0
  let deficit = 0
  for (const count of counts.values()) {
    if (count > 0) surplus += count
    else deficit -= count
  }
  return Math.max(surplus, deficit)
}

const add = (counts: Map<number, number>, letter: number, by: number) =>
  counts.set(letter, (counts.get(letter) ?? 0) + by)

/** Levenshtein distance in a band of `maxEdits` on each side of the diagonal. */
function withinEditDistance(a: string, b: string, maxEdits: number): boolean {
  const overLimit = maxEdits + 1
  let previousRow = Array.from({ length: b.length + 1 }, (_, j) => (j <= maxEdits ? j : overLimit))
  for (let i = 1; i <= a.length; i++) {
    const row = new Array<number>(b.length + 1).fill(overLimit)
    if (i <= maxEdits) row[0] = i
    let rowMin = row[0]!
    for (let j = Math.max(1, i - maxEdits); j <= Math.min(b.length, i + maxEdits); j++) {
      const substitution =
        previousRow[j - 1]! + (a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1)
      row[j] = Math.min(substitution, previousRow[j]! + 1, row[j - 1]! + 1, overLimit)
      rowMin = Math.min(rowMin, row[j]!)
    }
    if (rowMin > maxEdits) return false
    previousRow = row
  }
  return previousRow[b.length]! <= maxEdits
}
