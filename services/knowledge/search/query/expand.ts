import type { Sql } from '../../../_kit/sql/sql.ts'
import type { ExpansionData } from './expansion-data.ts'
import type { LayWords } from './lay-words.ts'
import type { LawPriors } from './priors.ts'
import { queryTerms, type WeightedTerm } from './query-terms.ts'

/** The weighted terms of a query with its expansions, and the priors of the laws it is about. */
export interface ExpandedQuery {
  terms: WeightedTerm[]
  priors: LawPriors
}

const noPriors: LawPriors = new Map()

/** Characters of a query from which lay words are predicted. Case descriptions are shorter. */
const maxLayText = 2_000

/** For searches by vector alone. */
export const emptyQuery: ExpandedQuery = { terms: [], priors: noPriors }

/** Expands a query by stored aliases and, unless they are switched off, by lay words. */
export async function expandQuery(
  { sql, layWords }: { sql: Sql; layWords: LayWords | undefined },
  query: string,
  { expansions, lay }: ExpansionData,
): Promise<ExpandedQuery> {
  if (!layWords || lay.words === 0) {
    return { terms: queryTerms(query, expansions), priors: noPriors }
  }
  const { words, priors } = await layWords.predict(sql, lay.version, query.slice(0, maxLayText))
  return { terms: queryTerms(query, expansions, words), priors }
}
