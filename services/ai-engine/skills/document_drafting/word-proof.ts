import { listRaisedDefences } from '../_shared/defences.ts'
import type { Language } from '../_shared/language.ts'
import type { EvidenceItem } from '../evidence_analysis/analyze.ts'
import { listClaimedElements } from './claimed-elements.ts'
import type { DraftBasis } from './draft-basis.ts'

/**
 * What a file proves: the elements that the documents speak of or, for a respondent, the defences that it supports.
 * A model's wording is kept where it is in the language of the document.
 */
export function wordProof(item: EvidenceItem, basis: DraftBasis, language: Language): string {
  const { caseFile } = basis
  if (item.made_by === 'model' && language === caseFile.language) return item.proves
  const supports = ({ element_id }: { element_id: string }) => item.element_ids.includes(element_id)
  const defences = listRaisedDefences(caseFile)
    .filter(supports)
    .map(({ defence }) => defence)
  const proven = defences.length > 0 ? defences : listClaimedElements(basis).filter(supports)
  const names = proven.map(({ name, name_en }) => (language === 'en' ? (name_en ?? name) : name))
  if (names.length === 0) return '—'
  return { zh: `用于证明：${names.join('、')}。`, en: `Supports: ${names.join(', ')}.` }[language]
}
