/** Least similarity of two texts that count as the same rule, and the lead over the second best. */
const minSimilarity = 0.5
const minLead = 0.12
/** A text this similar is the same rule, however similar the second best is. */
const sureSimilarity = 0.9

export interface RuleText<Key> {
  key: Key
  content: string
}

/**
 * Index of articles that finds the article with the same content as a text, by Dice similarity over pairs
 * of characters.
 */
export class CorrespondenceIndex<Key> {
  readonly #articles: { key: Key; size: number }[] = []
  readonly #postings = new Map<string, number[]>()

  constructor(articles: readonly RuleText<Key>[]) {
    for (const { key, content } of articles) {
      const pairs = characterPairs(content)
      const position = this.#articles.push({ key, size: pairs.size }) - 1
      for (const pair of pairs) {
        const postings = this.#postings.get(pair)
        if (postings) postings.push(position)
        else this.#postings.set(pair, [position])
      }
    }
  }

  /** Returns the article that corresponds to a text, or null where that is not certain. */
  find(content: string): { key: Key; similarity: number } | null {
    const pairs = characterPairs(content)
    const shared = new Map<number, number>()
    for (const pair of pairs) {
      for (const position of this.#postings.get(pair) ?? []) {
        shared.set(position, (shared.get(position) ?? 0) + 1)
      }
    }
    let best = { position: -1, similarity: 0 }
    let second = 0
    for (const [position, count] of shared) {
      const similarity = (2 * count) / (pairs.size + this.#articles[position]!.size)
      if (similarity > best.similarity) {
        second = best.similarity
        best = { position, similarity }
      } else second = Math.max(second, similarity)
    }
    const { position, similarity } = best
    const lead = similarity - second
    if (similarity < minSimilarity || (lead < minLead && similarity < sureSimilarity)) return null
    // Two equal articles cannot be distinguished.
    return lead === 0 ? null : { key: this.#articles[position]!.key, similarity }
  }
}

const articleNumber =
  /^\s*第[\d零〇一二三四五六七八九十百千]{1,12}条(?:之[一二三四五六七八九十]{1,3})?/

function characterPairs(content: string): Set<string> {
  const text = content
    .replace(articleNumber, '')
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}]+/gu, '')
  const pairs = new Set<string>()
  for (let at = 0; at + 1 < text.length; at++) pairs.add(text.slice(at, at + 2))
  return pairs
}
