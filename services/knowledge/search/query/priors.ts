/** Prior of a law and its articles, as lay words predict it from a query. */
export class LawPrior {
  /** From 0 to 1. */
  readonly prior: number
  /** Weights by article number. */
  readonly articles: ReadonlyMap<string, number>
  readonly #smooth: (articles: ReadonlyMap<string, number>) => Float64Array
  #neighbourhood?: Float64Array

  constructor(
    prior: number,
    articles: ReadonlyMap<string, number>,
    smooth: (articles: ReadonlyMap<string, number>) => Float64Array,
  ) {
    this.prior = prior
    this.articles = articles
    this.#smooth = smooth
  }

  /** Smoothed weight around each article number, from 0 to 1. Computed on first use: few laws are searched. */
  get neighbourhood(): Float64Array {
    this.#neighbourhood ??= this.#smooth(this.articles)
    return this.#neighbourhood
  }
}

/** Priors by normalized law name (`shortLawKey`). */
export type LawPriors = ReadonlyMap<string, LawPrior>

const lawWeight = 0.25
const articleWeight = 0.25
const neighbourhoodWeight = 0.1

/** Boost of an article, or of a text of the law that is no article. */
export function priorBoost(law: LawPrior | undefined, article: string | null): number {
  if (!law) return 0
  if (article === null) return lawWeight * law.prior
  const own = law.articles.get(article) ?? 0
  const neighbourhood = law.neighbourhood[Number.parseInt(article, 10)] ?? 0
  return lawWeight * law.prior + articleWeight * own + neighbourhoodWeight * neighbourhood
}
