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
    ...{ file_id: 'f', name: '证明.pdf', proves: '证明事实。', element_ids: ['e'] },
    quotes: texts.map((text) => ({ text })),
  }
  const element = { element_id: 'e', name: '继承已经开始', required: true, only_if: [] }
  const basis = {
    ...{ items: [item], details: {}, elements: [], today: '2026-06-15' },
    cause: { code: 'inheritance', name: '继承纠纷' },
    calculation: { claims: [] },
    caseFile: { language: 'zh', elements: [element], facts: [], fields: {} },
  } as unknown as DraftBasis
  const [table] = draftEvidenceList(basis).blocks
  expect(table).toMatchObject({
    rows: [{ cells: ['1', '证明', '用于证明：继承已经开始。', shown] }],
  })
})
