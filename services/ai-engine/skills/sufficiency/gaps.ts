import type { CauseElement } from '../../cause-tools.ts'
import type { CaseFile } from '../_shared/case-file.ts'
import { elementQuestions } from '../_shared/element-questions.ts'
import type { EvidenceItem } from '../evidence_analysis/analyze.ts'
import { weaknessText } from '../evidence_analysis/render.ts'

const maxEntries = 3

/** Says what would close the gap of an element: sound documents, other evidence, answers. */
export function describeGap(
  element: CauseElement,
  { facts, language }: CaseFile,
  files: EvidenceItem[],
): string {
  const known = new Set(facts.map(({ key }) => key))
  const questions = elementQuestions(element.questions)
    .filter(({ key, input_type }) => input_type !== 'file' && !known.has(`intake.${key}`))
    .map(({ wording }) => wording[language])
  const faults = files.flatMap(({ name, weaknesses }) =>
    weaknesses.length === 0
      ? []
      : [`${name}: ${weaknesses.map((code) => weaknessText(code, language)).join(', ')}`],
  )
  const types = element.evidence_types.slice(0, maxEntries)
  const { open, evidence, repair } = words
  return [
    ...(types.length > 0 ? [`${evidence[language]}${types.join('；')}`] : []),
    ...(faults.length > 0 ? [`${repair[language]}${faults.join('; ')}`] : []),
    ...(questions.length > 0
      ? [`${open[language]}${questions.slice(0, maxEntries).join(' ')}`]
      : []),
  ].join(language === 'zh' ? '。' : '. ')
}

const words = {
  evidence: { zh: '可补充：', en: 'To provide: ' },
  repair: { zh: '现有材料的不足：', en: 'Faults of the files: ' },
  open: { zh: '待说明：', en: 'To be answered: ' },
}
