import type * as z from 'zod'
import { tokenize } from '../../_kit/tokenize.ts'
import { articleKey, lawKey } from '../law/numerals.ts'
import type { CauseOfActionProfile, LitigationElement } from '../seed/records.ts'

/** An article that the elements of the likely causes rest on, with its weight. */
export interface LikelyArticle {
  law: string
  article: string
  weight: number
}

export interface CauseWithElements {
  profile: Pick<
    z.output<typeof CauseOfActionProfile>,
    'code' | 'name' | 'aliases' | 'keywords' | 'cues'
  >
  elements: Pick<
    z.output<typeof LitigationElement>,
    'name' | 'description' | 'legal_basis' | 'defences'
  >[]
}

/** Causes of a story, and the least score relative to the best one. */
const maxCauses = 3
const minRelativeScore = 0.4
/** A cause must share this much with the story: a name or alias and a keyword or cue, or three of these. */
const minScore = 3
const nameScore = 2
/** Characters that `…` in a cue may stand for. */
const maxGap = 12

/**
 * Finds the causes of action that a story is about by their names, aliases, keywords and cues, and ranks the
 * articles of their elements and defences by the words that the story shares with them.
 */
export function rankArticles(
  text: string,
  causes: readonly CauseWithElements[],
  maxArticles: number,
): LikelyArticle[] {
  const words = new Set(tokenize(text).filter((token) => token.length > 1))
  const scored = causes
    .map((cause) => ({ cause, score: causeScore(text, cause) }))
    .filter(({ score }) => score >= minScore)
    .sort((a, b) => b.score - a.score)
    .slice(0, maxCauses)
  const best = scored[0]?.score ?? 0
  const articles = new Map<string, LikelyArticle>()
  const add = (law: string, article: string, weight: number) => {
    const number = articleKey(article)
    if (number === null) return
    const key = `${lawKey(law)} ${number}`
    const before = articles.get(key)?.weight ?? 0
    articles.set(key, { law: lawKey(law), article: number, weight: Math.max(before, weight) })
  }
  for (const { cause, score } of scored.filter(({ score }) => score >= minRelativeScore * best)) {
    for (const { name, description, legal_basis, defences = [] } of cause.elements) {
      const own = (score / best) * sharedWords(words, `${name} ${description}`)
      for (const { law, article } of legal_basis) add(law, article, own)
      for (const defence of defences) {
        const weight = (score / best) * sharedWords(words, `${defence.name} ${defence.description}`)
        for (const { law, article } of defence.legal_basis) add(law, article, weight)
      }
    }
  }
  return [...articles.values()].sort((a, b) => b.weight - a.weight).slice(0, maxArticles)
}

function causeScore(text: string, { profile }: CauseWithElements) {
  const { name, aliases, keywords, cues = [] } = profile
  const count = (phrases: readonly string[]) =>
    phrases.filter((phrase) => phrase.length > 1 && hasPhrase(text, phrase)).length
  const mentioned = count([...new Set([...keywords, ...cues])])
  return nameScore * count([name.replace(/纠纷$/, ''), ...aliases]) + mentioned
}

/** True if a text contains a phrase. `…` stands for a few characters, a final `*` for any ending of a word. */
export function hasPhrase(text: string, phrase: string): boolean {
  const [first, ...rest] = phrase.replace(/\*$/, '').split('…') as [string, ...string[]]
  for (let at = text.indexOf(first); at >= 0; at = text.indexOf(first, at + 1)) {
    let end = at + first.length
    const isFollowed = rest.every((part) => {
      const next = text.indexOf(part, end)
      if (next < 0 || next > end + maxGap) return false
      end = next + part.length
      return true
    })
    if (isFollowed) return true
  }
  return false
}

/** Share of the words of a description that a story has, as a cosine. */
function sharedWords(words: ReadonlySet<string>, description: string): number {
  const own = new Set(tokenize(description).filter((token) => token.length > 1))
  let shared = 0
  for (const word of own) if (words.has(word)) shared++
  return shared / Math.sqrt(Math.max(1, own.size))
}
