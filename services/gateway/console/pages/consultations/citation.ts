/** An article that a text cites, as the service of citations found it. */
export interface Citation {
  law: string
  article: string
  found: boolean
  in_force: boolean
  content: string | null
  edition: { effective_from: string | null; effective_to: string | null } | null
  now?: { law: string; article: string } | null
  start: number | null
  end: number | null
}

export type CitationState = 'verified' | 'outdated' | 'missing'

/** Verified: in force today. Outdated: an earlier edition has it. Missing: no known edition has it. */
export function citationState({ found, in_force, edition }: Citation): CitationState {
  if (found && in_force) return 'verified'
  return edition ? 'outdated' : 'missing'
}

const minQuoteLength = 6

/** The longest passage of an article that the answer repeats word for word; empty if it is short. */
export function findQuote(article: string, answer: string): string {
  let longest = ''
  // The number of the article is part of every citation.
  const [number = ''] = /^\s*第[^条]{1,12}条/.exec(article) ?? []
  for (let start = number.length; start < article.length; start++) {
    while (
      start + longest.length < article.length &&
      answer.includes(article.slice(start, start + longest.length + 1))
    ) {
      longest = article.slice(start, start + longest.length + 1)
    }
  }
  return longest.length < minQuoteLength ? '' : longest
}
