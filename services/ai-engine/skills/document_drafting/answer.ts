import { courtFormTable, factRows, partyRows } from './court-form.ts'
import { type DraftDocument, form, type Source, type TableRow } from './document.ts'
import { blank, type DraftBasis } from './draft-basis.ts'
import { courtClosing } from './shared-blocks.ts'

/** Wording of the form before a court, and before an arbitration commission. */
const forms = {
  court: { own: '答辩人（被告）', other: '被答辩人（原告）', to: '受诉人民法院', claimant: '原告' },
  labor: {
    own: '答辩人（被申请人）',
    other: '被答辩人（申请人）',
    to: '劳动人事争议仲裁委员会',
    claimant: '申请人',
  },
}

/**
 * The answer to a claim, in element form. Always in Chinese. It states the facts that the person gave and,
 * element by element, who has to prove what; objections are only those that rest on such a fact or file.
 */
export function draftAnswer(basis: DraftBasis): DraftDocument {
  const { cause, details, today } = basis
  const labor = cause.matter_category === 'labor_arbitration'
  const words = labor ? forms.labor : forms.court
  const signer = `答辩人（签名或盖章）：${details.client_name ?? blank.zh}`
  return {
    key: 'answer',
    title: labor ? '仲裁答辩书' : '民事答辩状',
    subtitle: `（${cause.name}）`,
    kind: 'answer',
    filename: labor ? '仲裁答辩书.docx' : '民事答辩状.docx',
    language: 'zh',
    blocks: [
      courtFormTable([
        ...partyRows(basis, words.own, words.other),
        { section: '答辩意见' },
        {
          cells: [
            '对请求的意见',
            `${words.claimant}的请求以下列要件成立为前提，请依法审查其举证。`,
          ],
          sources: form,
        },
        ...burdenRows(basis, words.claimant),
        ...factRows(basis),
      ]),
      ...courtClosing(details.court ?? words.to, signer, today),
    ],
  }
}

/** The elements in dispute, each with the side that has to prove it. */
function burdenRows({ caseFile, elements, issues }: DraftBasis, claimant: string): TableRow[] {
  const listSources = (element_id: string): Source[] => [
    ...(elements.find((each) => each.element_id === element_id)?.evidence ?? []).map(
      (id): Source =>
        id.startsWith('intake.') ? { kind: 'fact', key: id } : { kind: 'file', file_id: id },
    ),
    ...form,
  ]
  return issues.map(({ element_id, burden }) => ({
    cells: [
      caseFile.elements.find((each) => each.element_id === element_id)?.name ?? element_id,
      burden === 'plaintiff'
        ? `应由${claimant}举证证明；不能证明的，其请求不应得到支持。`
        : '由答辩人举证，相关事实和证据见下文。',
    ],
    sources: listSources(element_id),
  }))
}
