import { wordMoney } from '../_shared/word-fact.ts'
import { courtFormTable, factRows, partyRows } from './court-form.ts'
import { type DraftDocument, form, type TableRow } from './document.ts'
import { blank, type DraftBasis } from './draft-basis.ts'
import { claimAmount, claimName, claimSources, courtClosing } from './shared-blocks.ts'

/** Wording of the form before a court, and before an arbitration commission. */
const forms = {
  court: {
    title: '民事起诉状',
    claimant: '原告',
    respondent: '被告',
    claims: '诉讼请求',
    costs: ['诉讼费用', '由被告承担。'],
    to: '受诉人民法院',
    signature: '具状人（签名或盖章）',
  },
  labor: {
    title: '劳动人事争议仲裁申请书',
    claimant: '申请人',
    respondent: '被申请人',
    claims: '仲裁请求',
    costs: null,
    to: '劳动人事争议仲裁委员会',
    signature: '申请人（签名或盖章）',
  },
}

/** The statement of claim, or the arbitration application, in element form. Always in Chinese. */
export function draftStatementOfClaim(basis: DraftBasis): DraftDocument {
  const { cause, details, today } = basis
  const labor = cause.matter_category === 'labor_arbitration'
  const words = labor ? forms.labor : forms.court
  const signer = `${words.signature}：${details.client_name ?? blank.zh}`
  return {
    key: labor ? 'arbitration_application' : 'statement_of_claim',
    title: words.title,
    subtitle: `（${cause.name}）`,
    kind: labor ? 'arbitration_application' : 'statement_of_claim',
    filename: `${words.title}.docx`,
    language: 'zh',
    blocks: [
      courtFormTable([
        ...partyRows(basis, words.claimant, words.respondent),
        { section: words.claims },
        ...claimRows(basis),
        ...(words.costs ? [{ cells: words.costs, sources: form }] : []),
        ...factRows(basis),
      ]),
      ...courtClosing(details.court ?? words.to, signer, today),
    ],
  }
}

/** The claims, one in a row, and their sum if a calculation has it. */
function claimRows(basis: DraftBasis): TableRow[] {
  const { claims, calculations } = basis.calculation
  const fee = calculations.find(({ calculator }) => calculator === 'court_fee')
  const sum = typeof fee?.inputs.amount === 'number' ? fee.inputs.amount : undefined
  const hasSeveral = claims.filter(({ amount }) => amount !== null).length > 1
  return [
    ...claims.map((claim, index) => ({
      cells: [
        `${index + 1}. ${claimName(claim, 'zh')}`,
        claimAmount(claim, basis, 'zh') || '请求依法支持。',
      ],
      sources: claimSources(claim),
    })),
    ...(hasSeveral && sum !== undefined
      ? [
          {
            cells: ['标的总额', wordMoney(sum, 'zh')],
            sources: [{ kind: 'calculation' as const, id: 'court_fee' }],
          },
        ]
      : []),
  ]
}
