import type { Citation } from './citation.ts'
import { hanCitations } from './han-citations.ts'
import { latinCitations } from './latin-citations.ts'

/** Finds all citations of articles of named laws in a text, in order and without overlaps. */
export function citationsIn(text: string): Citation[] {
  let end = 0
  return [...hanCitations(text), ...latinCitations(text)]
    .sort((a, b) => a.start - b.start || b.end - a.end)
    .filter((each) => {
      if (each.start < end) return false
      end = each.end
      return true
    })
}
