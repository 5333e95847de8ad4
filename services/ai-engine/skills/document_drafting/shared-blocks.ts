import { citationKey } from '../_shared/citations.ts'
import type { Language } from '../_shared/language.ts'
import type { Block, Source } from './document.ts'
import { type DraftBasis, wordFact, wordMoney } from './draft-basis.ts'

/** Claims with their amounts, each from its calculation or fact. Keys of facts have a dot. */
export function claimsTable({ calculation }: DraftBasis, language: Language): Block {
  const sourceOf = (source: string): Source[] =>
    source.includes('.') ? [{ kind: 'fact', key: source }] : [{ kind: 'calculation', id: source }]
  return {
    type: 'table',
    head: { zh: ['请求事项', '金额'], en: ['Claim', 'Amount'] }[language],
    rows: calculation.claims.map(({ name, amount, source }) => ({
      cells: [name, amount === null ? '' : wordMoney(amount, language)],
      sources: sourceOf(source),
    })),
  }
}

/** Facts and files by element: the core of the official element form. */
export function elementsTable(basis: DraftBasis, language: Language): Block {
  const { caseFile, elements, items } = basis
  const nameOf = (id: string) => items.find(({ file_id }) => file_id === id)?.name
  const rows = elements.flatMap(({ element_id, evidence }) => {
    const element = caseFile.elements.find((each) => each.element_id === element_id)
    const facts = caseFile.facts.filter(({ key }) => evidence.includes(key))
    const files = evidence.filter((id) => nameOf(id) !== undefined)
    if (!element || facts.length + files.length === 0) return []
    const name = language === 'en' ? (element.name_en ?? element.name) : element.name
    return [
      {
        cells: [
          name,
          facts
            .map((fact) => wordFact(fact, caseFile, language).join(language === 'zh' ? '：' : ': '))
            .join('\n'),
          files.map(nameOf).join('\n'),
        ],
        sources: [
          ...facts.map(({ key }): Source => ({ kind: 'fact', key })),
          ...files.map((file_id): Source => ({ kind: 'file', file_id })),
        ],
      },
    ]
  })
  return {
    type: 'table',
    head: { zh: ['要件', '事实', '证据'], en: ['Element', 'Facts', 'Evidence'] }[language],
    rows,
  }
}

/** Verified citations with their quotes. */
export function citationsTable({ citations }: DraftBasis, language: Language, most = 30): Block {
  return {
    type: 'table',
    head: { zh: ['法律依据', '条文'], en: ['Legal basis', 'Text'] }[language],
    rows: citations.slice(0, most).map(({ law, article, quote }) => ({
      cells: [citationKey({ law, article }), quote ?? ''],
      sources: [{ kind: 'citation', citation: { law, article, quote } }],
    })),
  }
}

/** What happened, in the words of the person. */
export function storyBlock({ caseFile }: DraftBasis): Block[] {
  const story = caseFile.fields.what_happened
  return story
    ? [{ type: 'paragraph', text: story, sources: [{ kind: 'fact', key: 'intake.what_happened' }] }]
    : []
}
