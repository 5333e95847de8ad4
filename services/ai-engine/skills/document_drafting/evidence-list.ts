import { wordDay } from '../_shared/word-fact.ts'
import type { EvidenceItem } from '../evidence_analysis/analyze.ts'
import { type DraftDocument, form } from './document.ts'
import type { DraftBasis } from './draft-basis.ts'
import { fillIn, trimExtension } from './shared-blocks.ts'
import { wordProof } from './word-proof.ts'

/** The list of evidence for the court: each file, what it proves and the passage that shows it. */
export function draftEvidenceList(basis: DraftBasis): DraftDocument {
  const { items, details, cause, today } = basis
  const submitter = details.client_name ?? fillIn
  return {
    key: 'evidence_list',
    title: '证据清单',
    subtitle: `（${cause.name}）`,
    kind: 'evidence_list',
    filename: '证据清单.docx',
    language: 'zh',
    blocks: [
      {
        type: 'table',
        widths: [9, 23, 31, 37],
        head: ['序号', '证据名称', '证明目的', '主要内容（摘录）'],
        rows: items.map((item, index) => ({
          cells: [
            String(index + 1),
            trimExtension(item.name),
            wordProof(item, basis, 'zh'),
            chooseQuote(item),
          ],
          sources: [{ kind: 'file', file_id: item.file_id }],
        })),
      },
      {
        type: 'signature',
        lines: [`提交人（签名或盖章）：${submitter}`, wordDay(today, 'zh')],
        sources: form,
      },
    ],
  }
}

/** The first passage that says something: one with a figure or a day, else a long one. A title alone does not. */
const chooseQuote = ({ quotes }: EvidenceItem): string => {
  const long = quotes.filter(({ text }) => text.length >= minQuoteLength)
  return (long.find(({ text }) => /\d/.test(text)) ?? long[0] ?? quotes[0])?.text ?? '—'
}
const minQuoteLength = 8
