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
  profile: Pick<z.output<typeof CauseOfActionProfile>, 'code' | 'name' | 'aliases' | 'keywords'>
  elements: Pick<
    z.output<typeof LitigationElement>,
    'name' | 'description' | 'legal_basis' | 'defences'
  >[]
}

/** Causes of a story, and the least score relative to the best one. */
const maxCauses = 3
const minRelativeScore = 0.4
/** A cause must share this much with the story: a name or alias, or two keywords. */
const minScore = 2
const nameScore = 2

/**
 * Finds the causes of action that a story is about by their names, aliases and keywords, and ranks the
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

function causeScore(text: string, { profile: { name, aliases, keywords } }: CauseWithElements) {
  const names = [name.replace(/纠纷$/, ''), ...aliases]
  const named = names.filter((each) => each.length > 1 && text.includes(each)).length
  const mentioned = keywords.filter((each) => each.length > 1 && text.includes(each)).length
  return nameScore * named + mentioned
}

/** Share of the words of a description that a story has, as a cosine. */
function sharedWords(words: ReadonlySet<string>, description: string): number {
  const own = new Set(tokenize(description).filter((token) => token.length > 1))
  let shared = 0
  for (const word of own) if (words.has(word)) shared++
  return shared / Math.sqrt(Math.max(1, own.size))
}
