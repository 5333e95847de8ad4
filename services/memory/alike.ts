/** A text as it is compared: width, case, spacing and punctuation make no difference. */
export const plain = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{P}\p{S}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()

/**
 * Whether two plain texts are at least `share` alike: one less the edits between them over the longer
 * one's length. Gives up as soon as the edits are too many.
 */
export function alike(a: string, b: string, share: number): boolean {
  if (a === b) return true
  const longer = Math.max(a.length, b.length)
  const most = Math.floor(longer * (1 - share) + 1e-9)
  if (Math.abs(a.length - b.length) > most || bagDistance(a, b) > most) return false
  return editsWithin(a, b, most)
}

/** A lower bound of the edits: letters that one text has and the other lacks. */
function bagDistance(a: string, b: string): number {
  const counts = new Map<number, number>()
  for (let i = 0; i < a.length; i++) add(counts, a.charCodeAt(i), 1)
  for (let i = 0; i < b.length; i++) add(counts, b.charCodeAt(i), -1)
  let more = 0
  let fewer = 0
  for (const count of counts.values()) {
    if (count > 0) more += count
    else fewer -= count
  }
  return Math.max(more, fewer)
}

const add = (counts: Map<number, number>, letter: number, by: number) =>
  counts.set(letter, (counts.get(letter) ?? 0) + by)

/** Levenshtein within a band of `most` on each side of the diagonal. */
function editsWithin(a: string, b: string, most: number): boolean {
  const beyond = most + 1
  let above = Array.from({ length: b.length + 1 }, (_, j) => (j <= most ? j : beyond))
  for (let i = 1; i <= a.length; i++) {
    const row = new Array<number>(b.length + 1).fill(beyond)
    if (i <= most) row[0] = i
    let least = row[0]!
    for (let j = Math.max(1, i - most); j <= Math.min(b.length, i + most); j++) {
      const same = above[j - 1]! + (a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1)
      row[j] = Math.min(same, above[j]! + 1, row[j - 1]! + 1, beyond)
      least = Math.min(least, row[j]!)
    }
    if (least > most) return false
    above = row
  }
  return above[b.length]! <= most
}
