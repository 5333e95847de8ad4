/** Results of an analysis as the skills of ai-engine submit them. */
export interface Analysis {
  version: number
  evidences: Evidence[]
  elements: ElementSufficiency[]
  issues: Issue[]
  strategies: Strategy[]
  risk: Risk | null
}

export interface Evidence {
  file_id: string
  name?: string
  proves: string
  element_ids: string[]
  weaknesses: string[]
  quotes: { text: string; page?: number }[]
}

export interface ElementSufficiency {
  element_id: string
  name?: string
  status: 'proven' | 'weak' | 'missing'
  burden: 'plaintiff' | 'defendant'
  /** Ids of files and keys of facts. */
  evidence: string[]
  gap: string
}

export interface LegalBasis {
  law: string
  article: string
  quote?: string
}

export interface Issue {
  issue_id: string
  question: string
  status?: ElementSufficiency['status']
  claimant?: string
  respondent?: { name: string }[]
  legal_basis?: LegalBasis[]
}

export interface Strategy {
  strategy_id: string
  name: string
  when?: string
  steps?: string[]
  recommended?: boolean
  cost?: { low: number; high: number } | null
  last_day?: string | null
  jurisdiction?: string
  expected_defences?: string[]
}

export interface Risk {
  level: 'low' | 'medium' | 'high'
  score: number
  factors?: { factor_id: string; name: string; description?: string; weight: number }[]
  other_side?: { attack: string; strength?: string }[]
}

/** Titles of the law in brackets, as statutes are cited: 《民法典》第六百七十九条. */
export const formatBasis = ({ law, article }: LegalBasis) => `《${law}》${article}`
