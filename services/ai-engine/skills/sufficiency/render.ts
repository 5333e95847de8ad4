import type { Language } from '../_shared/language.ts'
import type { ElementStatus } from './assess.ts'

const statusLabels = {
  proven: { zh: '已证明', en: 'proven' },
  weak: { zh: '证据不足', en: 'weak' },
  missing: { zh: '缺少证据', en: 'missing' },
}
const burdenLabels = {
  plaintiff: { zh: '原告举证', en: 'burden on the claimant' },
  defendant: { zh: '被告举证', en: 'burden on the respondent' },
}

/** Lists the required elements for the person, with what would close each gap. */
export function renderElements(elements: ElementStatus[], language: Language): string {
  const lines = elements
    .filter(({ required, status }) => required || status !== 'missing')
    .map(({ name, status, burden, gap }) => {
      const notes = [statusLabels[status][language], burdenLabels[burden][language]]
      const note = { zh: `（${notes.join('，')}）`, en: ` (${notes.join(', ')})` }[language]
      return `- ${name}${note}${gap === '' ? '' : `\n  ${gap}`}`
    })
  return [{ zh: '证据与要件', en: 'Evidence by element' }[language], ...lines].join('\n')
}

/** Todos for the person: one per required element that is not proven, done once it is. */
export function gapTodos(elements: ElementStatus[], opened: string[], language: Language) {
  const keyOf = ({ element_id }: ElementStatus) => `evidence.${element_id}`
  const open = elements.filter(({ required, status }) => required && status !== 'proven')
  const closed = elements.filter(
    (element) => element.status === 'proven' && opened.includes(keyOf(element)),
  )
  const titleOf = (name: string) =>
    ({ zh: `补充证据：${name}`, en: `Provide evidence: ${name}` })[language]
  return {
    opened: [...new Set([...opened, ...open.map(keyOf)])],
    todos: [
      ...open.map((element) => ({
        todo_key: keyOf(element),
        title: titleOf(element.name),
        actor: 'client',
        payload: { element_id: element.element_id, gap: element.gap },
      })),
      ...closed.map((element) => ({
        todo_key: keyOf(element),
        title: titleOf(element.name),
        status: 'DONE',
        result: { evidence: element.evidence },
      })),
    ],
  }
}
