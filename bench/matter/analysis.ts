import { makeRandom } from '../support/random.ts'

const random = makeRandom(43)
const sentence = (words: number) =>
  Array.from({ length: words }, () => random.pick(vocabulary)).join('')
const vocabulary = [
  ...[
    '借款',
    '本金',
    '利息',
    '转账',
    '借条',
    '到期',
    '催收',
    '保证人',
    '还款',
    '约定',
    '证据',
    '原告',
  ],
  ...['被告', '诉讼时效', '利率', '银行流水', '微信记录', '合同', '违约', '管辖', '起诉', '保全'],
]
const list = <T>(length: number, make: (index: number) => T) =>
  Array.from({ length }, (_, index) => make(index))
const members = (length: number) =>
  Object.fromEntries(list(length, (n) => [`member_${n}`, sentence(12)]))

/** Body of a complete sync. Another `edition` has other values under the same keys. */
export const analysis = (edition: number) => ({
  sync_key: `analysis-${edition}`,
  title: `民间借贷纠纷 ${edition}`,
  matter_category: 'civil_litigation',
  cause_of_action_code: 'private_lending',
  profile: { edition, ...members(15) },
  data: {
    workbench: { edition, ...members(8) },
    litigation: members(8),
    work_product: members(4),
  },
  file_ids: list(6, (n) => `file-${edition}-${n}`),
  phases: ['intake', 'evidence', 'analysis', 'filing', 'hearing'].map((phase_id, index) => ({
    phase_id,
    phase_name: `${phase_id} ${edition}`,
    status: index < 2 ? 'COMPLETED' : 'IN_PROGRESS',
    order_num: index,
  })),
  todos: list(20, (n) => ({
    todo_key: `todo_${n}`,
    title: sentence(6),
    actor: n % 2 ? 'client' : 'lawyer',
    review_type: 'clarify',
    payload: { edition, questions: [{ question: sentence(10), field_key: `profile.member_${n}` }] },
  })),
  deliverables: list(10, (n) => ({
    deliverable_key: `deliverable_${n}`,
    title: sentence(4),
    kind: 'document',
    file_id: `deliverable-${edition}-${n}`,
  })),
  facts: list(40, (n) => ({
    entity_key: `fact.${n}`,
    category: 'case_detail',
    content: sentence(15),
    value: { edition, n },
    confidence: 0.9,
    metadata: { source: `file-${n}` },
  })),
})
