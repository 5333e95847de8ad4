import * as z from 'zod'
import type { SkillContext } from '../../skill.ts'
import type { Bilingual, Language } from './language.ts'

export const LegalElement = z.object({
  element_id: z.string(),
  name: z.string(),
  name_en: z.string().nullish(),
  burden_of_proof: z.enum(['plaintiff', 'defendant']),
  /** False for an element that only some claims need. */
  required: z.boolean().default(true),
  /** Role of the party whose claim rests on the element; null: the party that claims. */
  side: z.string().nullish(),
  applies_when: z.string().nullish(),
  applies_when_en: z.string().nullish(),
  evidence_types: z.array(z.string()),
  legal_basis: z.array(z.object({ law: z.string(), article: z.string() })),
})
export type LegalElement = z.infer<typeof LegalElement>

type Tools = SkillContext<unknown>['tools']

const Cause = z.object({ elements: z.array(LegalElement) })

/** Fetches the elements of a cause of action; empty if unknown or unavailable. */
export async function fetchElements(tools: Tools, code: string | null | undefined) {
  if (!code || code === 'other' || !tools.legal_elements) return []
  const answer = await tools.legal_elements({ cause_of_action_code: code })
  return Cause.safeParse(answer).data?.elements ?? []
}

const Passages = z.object({
  passages: z.array(z.object({ document_id: z.string(), title: z.string(), content: z.string() })),
})
export type Passage = z.infer<typeof Passages>['passages'][number]

export async function fetchPassages(tools: Tools, query: string): Promise<Passage[]> {
  if (query === '' || !tools.search_law) return []
  return Passages.safeParse(await tools.search_law({ query, top_k: 3 })).data?.passages ?? []
}

const burdenLabels: Record<LegalElement['burden_of_proof'], Bilingual> = {
  plaintiff: { zh: '原告举证', en: 'for the claimant to prove' },
  defendant: { zh: '被告举证', en: 'for the respondent to prove' },
}

/** Formats a citation. */
const formatCitation = ({ law, article }: { law: string; article: string }) => {
  const number = /^第.*条/u.test(article) ? article : `第${article}条`
  return `《${law.replace(/^《|》$/gu, '')}》${number}`
}

const optionalLabel: Bilingual = { zh: '仅在主张时', en: 'only where claimed' }

/** When an element is needed; empty if always. */
function describeCondition(element: LegalElement, language: Language): string {
  const { required, applies_when, applies_when_en } = element
  const condition = language === 'en' ? (applies_when_en ?? applies_when) : applies_when
  if (condition) return condition
  return required ? '' : optionalLabel[language]
}

/** Formats an element: name, burden of proof, when it is needed, legal basis. */
export function elementLine(element: LegalElement, language: Language): string {
  const name = language === 'en' ? (element.name_en ?? element.name) : element.name
  const condition = describeCondition(element, language)
  const law = [...new Set(element.legal_basis.map(formatCitation))]
  const [open, close, comma] = language === 'zh' ? ['（', '）', '、'] : [' (', ')', ', ']
  const basis = law.length > 0 ? `${language === 'zh' ? '：' : ': '}${law.join(comma)}` : ''
  const notes = [burdenLabels[element.burden_of_proof][language], condition].filter((each) => each)
  return `${name}${open}${notes.join(comma)}${close}${basis}`
}
