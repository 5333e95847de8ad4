import { weaknessText } from '../evidence_analysis/render.ts'
import type { DraftDocument } from './document.ts'
import type { DraftBasis } from './draft-basis.ts'

/** The list of evidence for the court: each file, what it proves and the passage that shows it. */
export function draftEvidenceList({ items }: DraftBasis): DraftDocument {
  return {
    key: 'evidence_list',
    title: '证据清单',
    kind: 'evidence_list',
    filename: '证据清单.docx',
    blocks: [
      {
        type: 'table',
        head: ['序号', '证据名称', '证明内容', '摘录', '备注'],
        rows: items.map(({ file_id, name, proves, quotes, weaknesses }, index) => ({
          cells: [
            String(index + 1),
            name,
            proves,
            quotes[0]?.text ?? '',
            weaknesses.map((code) => weaknessText(code, 'zh')).join('、'),
          ],
          sources: [{ kind: 'file', file_id }],
        })),
      },
    ],
  }
}
