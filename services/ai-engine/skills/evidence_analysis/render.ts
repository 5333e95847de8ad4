import type { Language } from '../_shared/language.ts'
import type { EvidenceItem } from './analyze.ts'
import { type Weakness, weaknessLabels } from './weaknesses.ts'

export const weaknessText = (code: string, language: Language): string =>
  weaknessLabels[code as Weakness]?.[language] ?? code

/** Lists the files for the person: what each proves and what weakens it. */
export function renderEvidence(items: EvidenceItem[], language: Language): string {
  const lines = items.map(({ name, proves, weaknesses }) => {
    const faults = weaknesses.map((code) => weaknessText(code, language))
    const note = {
      zh: faults.length > 0 ? `（不足：${faults.join('、')}）` : '',
      en: faults.length > 0 ? ` (weakened by: ${faults.join(', ')})` : '',
    }[language]
    return `- ${name}${{ zh: '：', en: ': ' }[language]}${proves}${note}`
  })
  return [{ zh: '已阅读的证据', en: 'Files read' }[language], ...lines].join('\n')
}
