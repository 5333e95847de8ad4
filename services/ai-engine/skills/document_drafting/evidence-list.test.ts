import { expect, test } from 'vitest'
import type { DraftBasis } from './draft-basis.ts'
import { draftEvidenceList } from './evidence-list.ts'

test.each([
  [['居民死亡医学证明', '死亡日期：2025年2月10日'], '死亡日期：2025年2月10日'],
  [['借条', '今借到李四人民币一万元整'], '今借到李四人民币一万元整'],
  [['借条'], '借条'],
  [[], '—'],
])('of the passages %j the list shows %s', (texts, shown) => {
  const item = {
    ...{ file_id: 'f', name: '证明.pdf', proves: '证明事实。', element_ids: [] },
    quotes: texts.map((text) => ({ text })),
  }
  const basis = {
    ...{ items: [item], details: {}, cause: { name: '继承纠纷' }, today: '2026-06-15' },
    caseFile: { language: 'zh', elements: [] },
  } as unknown as DraftBasis
  const [table] = draftEvidenceList(basis).blocks
  expect(table).toMatchObject({ rows: [{ cells: ['1', '证明', '证明事实。', shown] }] })
})
