import { type Block, type DraftDocument, form, type Source } from './document.ts'
import { blank, type DraftBasis, wordDay } from './draft-basis.ts'
import { citationsTable, elementsTable, storyBlock } from './shared-blocks.ts'

const burdenLabels = { plaintiff: '由原告举证', defendant: '由被告举证' }
const statusLabels = { proven: '有证据', weak: '证据不足', missing: '尚无证据' }

/**
 * The answer to a claim, in element form. Always in Chinese. It states the facts that the person gave and,
 * element by element, who has to prove what; objections are only those that rest on such a fact or file.
 */
export function draftAnswer(basis: DraftBasis): DraftDocument {
  const { cause, details, caseFile, elements, issues, today } = basis
  const labor = cause.matter_category === 'labor_arbitration'
  const own = labor ? '被申请人' : '答辩人'
  const opponent = details.opposing_name ?? caseFile.fields.opposing_party
  const heading = (text: string): Block => ({ type: 'heading', text })
  const listSources = (element_id: string): Source[] => [
    ...(elements.find((each) => each.element_id === element_id)?.evidence ?? []).map(
      (id): Source =>
        id.startsWith('intake.') ? { kind: 'fact', key: id } : { kind: 'file', file_id: id },
    ),
    ...form,
  ]
  return {
    key: 'answer',
    title: '答辩状',
    kind: 'answer',
    filename: '答辩状.docx',
    blocks: [
      { type: 'paragraph', text: `（${cause.name}）`, sources: form },
      heading('当事人信息'),
      {
        type: 'table',
        head: ['身份', '姓名或名称'],
        rows: [
          {
            cells: [own, details.client_name ?? blank.zh],
            sources: [{ kind: 'fact', key: 'drafting.client_name' }],
          },
          {
            cells: [labor ? '申请人' : '被答辩人', opponent ?? blank.zh],
            sources: [{ kind: 'fact', key: 'intake.opposing_party' }],
          },
        ],
      },
      heading('答辩意见'),
      {
        type: 'paragraph',
        text: '对方的请求应当以下列要件成立为前提，请依法审查其举证。',
        sources: form,
      },
      {
        type: 'table',
        head: ['要件', '举证责任', '现有证据'],
        rows: issues.map(({ element_id, burden, status }) => ({
          cells: [nameOf(basis, element_id), burdenLabels[burden], statusLabels[status]],
          sources: listSources(element_id),
        })),
      },
      heading('事实与理由'),
      ...storyBlock(basis),
      elementsTable(basis, 'zh'),
      heading('法律依据'),
      citationsTable(basis, 'zh'),
      {
        type: 'paragraph',
        text: `此致 ${details.court ?? (labor ? '劳动人事争议仲裁委员会' : '受诉人民法院')}`,
        sources: form,
      },
      {
        type: 'paragraph',
        text: `${own}：${details.client_name ?? blank.zh}`,
        sources: form,
        align: 'right',
      },
      { type: 'paragraph', text: wordDay(today, 'zh'), sources: form, align: 'right' },
    ],
  }
}

const nameOf = ({ caseFile }: DraftBasis, element_id: string) =>
  caseFile.elements.find((each) => each.element_id === element_id)?.name ?? element_id
