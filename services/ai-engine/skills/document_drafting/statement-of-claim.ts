import { type Block, type DraftDocument, form } from './document.ts'
import { blank, type DraftBasis, wordDay } from './draft-basis.ts'
import { citationsTable, claimsTable, elementsTable, storyBlock } from './shared-blocks.ts'

/** Wording of the form before a court, and before an arbitration commission. */
const forms = {
  court: {
    title: '民事起诉状',
    claimant: '原告',
    respondent: '被告',
    claims: '诉讼请求',
    costs: '诉讼费用由被告承担。',
    to: '受诉人民法院',
    signature: '具状人',
  },
  labor: {
    title: '劳动人事争议仲裁申请书',
    claimant: '申请人',
    respondent: '被申请人',
    claims: '仲裁请求',
    costs: '请依法裁决。',
    to: '劳动人事争议仲裁委员会',
    signature: '申请人',
  },
}

/** The statement of claim, or the arbitration application, in element form. Always in Chinese. */
export function draftStatementOfClaim(basis: DraftBasis): DraftDocument {
  const { cause, details, caseFile, today } = basis
  const labor = cause.matter_category === 'labor_arbitration'
  const words = labor ? forms.labor : forms.court
  const opponent = details.opposing_name ?? caseFile.fields.opposing_party
  const heading = (text: string): Block => ({ type: 'heading', text })
  const blocks: Block[] = [
    { type: 'paragraph', text: `（${cause.name}）`, sources: form },
    heading('当事人信息'),
    {
      type: 'table',
      head: ['身份', '姓名或名称'],
      rows: [
        {
          cells: [words.claimant, details.client_name ?? blank.zh],
          sources: [{ kind: 'fact', key: 'drafting.client_name' }],
        },
        {
          cells: [words.respondent, opponent ?? blank.zh],
          sources: [{ kind: 'fact', key: 'intake.opposing_party' }],
        },
      ],
    },
    heading(words.claims),
    claimsTable(basis, 'zh'),
    { type: 'paragraph', text: words.costs, sources: form },
    heading('事实与理由'),
    ...storyBlock(basis),
    elementsTable(basis, 'zh'),
    heading('法律依据'),
    citationsTable(basis, 'zh'),
    { type: 'paragraph', text: `此致 ${details.court ?? words.to}`, sources: form },
    {
      type: 'paragraph',
      text: `${words.signature}：${details.client_name ?? blank.zh}`,
      sources: form,
      align: 'right',
    },
    { type: 'paragraph', text: wordDay(today, 'zh'), sources: form, align: 'right' },
  ]
  return {
    key: labor ? 'arbitration_application' : 'statement_of_claim',
    title: words.title,
    kind: labor ? 'arbitration_application' : 'statement_of_claim',
    filename: `${words.title}.docx`,
    blocks,
  }
}
