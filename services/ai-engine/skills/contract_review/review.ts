import * as z from 'zod'
import type { ChecklistItem } from '../../checklist-tools.ts'
import { Citation, citationKey } from '../_shared/citations.ts'
import { detectLanguage, type Language } from '../_shared/language.ts'
import { clauseRules } from './clause-rules.ts'
import type { Clause } from './clauses.ts'
import { subjectRules } from './subject-rules.ts'

const levels = ['high', 'medium', 'low'] as const

export const Finding = z.object({
  rule_id: z.string(),
  /** Point of the checklist. */
  item_id: z.string(),
  level: z.enum(levels),
  /** Index of the clause; null for a subject that the contract does not settle. */
  clause: z.int().nullable(),
  label: z.string(),
  /** Passage of the contract; empty for a missing subject. */
  quote: z.string(),
  problem: z.string(),
  legal_basis: z.array(Citation),
  /** Wording that takes the place of the quote, or that is added to the contract. */
  suggestion: z.string(),
})
export type Finding = z.output<typeof Finding>

const serviceType = 'contract_review'

/**
 * Reviews a contract by rules, for the side of the person. The law of each finding comes from its point of
 * the checklist; a clause has at most one finding of a rule. What is missing can be said of a whole text only.
 */
export function reviewContract(
  clauses: Clause[],
  items: ChecklistItem[],
  side: string,
  language: Language,
  isWhole = true,
): Finding[] {
  const basis = (item: string, articles: string[]) =>
    (items.find(({ item_id }) => item_id === `${serviceType}.${item}`)?.legal_basis ?? []).filter(
      (citation) => articles.includes(citationKey(citation)),
    )
  const risky = clauses.flatMap(({ index, label, body }) =>
    clauseRules.flatMap(({ rule_id, item, level, articles, pattern, concerns, problem, edit }) => {
      const match = pattern.exec(body)
      if (!match || concerns?.(match, side) === false) return []
      const { from, to } = edit(match)
      return [
        {
          ...{ rule_id, item_id: `${serviceType}.${item}`, level, clause: index, label },
          quote: from,
          problem: problem[language],
          legal_basis: basis(item, articles),
          suggestion: to,
        },
      ]
    }),
  )
  const text = clauses.map((each) => each.text).join('\n')
  const written = detectLanguage(text) ?? 'zh'
  const missing = subjectRules
    .filter(({ subject }) => isWhole && !subject.test(text))
    .map(({ rule_id, item, level, articles, problem, wording }) => ({
      ...{ rule_id, item_id: `${serviceType}.${item}`, level, clause: null, label: '' },
      quote: '',
      problem: problem[language],
      legal_basis: basis(item, articles),
      suggestion: wording[written],
    }))
  return [...risky, ...missing].sort((a, b) => levels.indexOf(a.level) - levels.indexOf(b.level))
}
