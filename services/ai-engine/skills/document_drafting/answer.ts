import * as z from 'zod'
import { listRaisedDefences } from '../_shared/defences.ts'
import { joinFact, wordDay, wordFact } from '../_shared/word-fact.ts'
import type { CalculationResult } from '../calculation/calculate.ts'
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
 * The answer to a claim, in element form. Always in Chinese. It raises the defences that rest on facts the person gave
 * or on a limitation period that is over, then says who has to prove the elements on which they stated nothing.
 */
export function draftAnswer(basis: DraftBasis): DraftDocument {
  const { cause, details, today } = basis
  const labor = cause.matter_category === 'labor_arbitration'
  const words = labor ? forms.labor : forms.court
  const defences = [...defenceRows(basis), ...limitationRows(basis)]
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
          cells: ['对请求的意见', wordPosition(basis, words.claimant, defences.length > 0)],
          sources: form,
        },
        ...defences,
        ...burdenRows(basis, words.claimant),
        ...factRows(basis),
      ]),
      ...courtClosing(details.court ?? words.to, signer, today),
    ],
  }
}

/** What the answer asks for: no more than its defences carry. */
function wordPosition(
  { caseFile, calculation, today }: DraftBasis,
  claimant: string,
  has: boolean,
) {
  if (!has) return `${claimant}的请求以下列要件成立为前提，请依法审查其举证。`
  const { amount } = caseFile.fields
  const isPart = (key: string) => {
    const value = caseFile.facts.find((fact) => fact.key === key)?.value
    return typeof value === 'number' && (amount == null || value < amount)
  }
  const raised = listRaisedDefences(caseFile)
  const coversAll =
    isOverLimitation(calculation, today) || raised.some(({ facts }) => !facts.some(isPart))
  return coversAll
    ? `不同意${claimant}的请求，请求依法驳回。理由如下。`
    : `不同意${claimant}的部分请求，请求依法驳回相应部分。理由如下。`
}

/** Defences that rest on facts of the person, with these facts and the articles that verified. */
function defenceRows({ caseFile, citations }: DraftBasis): TableRow[] {
  return listRaisedDefences(caseFile).map(({ defence, facts: keys }) => {
    const facts = caseFile.facts.filter(({ key }) => keys.includes(key))
    const cited = defence.legal_basis.filter(({ law, article }) =>
      citations.some(
        (each) => each.grounds_defence && each.law === law && each.article === article,
      ),
    )
    const law = cited.map(({ law, article }) => `《${law}》${article}`).join('、')
    return {
      cells: [
        defence.name,
        [
          ...facts.map((fact) => joinFact(wordFact(fact, caseFile, 'zh'), 'zh')),
          ...(law ? [`依据：${law}`] : []),
        ].join('\n'),
      ],
      sources: [
        ...facts.map(({ key }): Source => ({ kind: 'fact', key })),
        ...cited.map(
          ({ law, article, quote }): Source => ({
            kind: 'citation',
            citation: { law, article, quote },
          }),
        ),
      ],
    }
  })
}

const LastDay = z.object({ last_day: z.iso.date() })

function findLastDay({ calculations }: CalculationResult): string | undefined {
  const made = calculations.find(({ calculator }) => calculator === 'limitation')
  return LastDay.safeParse(made?.result).data?.last_day
}

const isOverLimitation = (calculation: CalculationResult, today: string) =>
  (findLastDay(calculation) ?? today) < today

/** Limitation is considered only if the respondent pleads it. */
function limitationRows({ calculation, today }: DraftBasis): TableRow[] {
  const last = findLastDay(calculation)
  if (last === undefined || !isOverLimitation(calculation, today)) return []
  return [
    {
      cells: ['时效期间届满', `时效期间的最后一日为${wordDay(last, 'zh')}，答辩人提出时效抗辩。`],
      sources: [{ kind: 'calculation', id: 'limitation' }],
    },
  ]
}

/** The elements in dispute on which the person stated nothing, each with the side that has to prove it. */
function burdenRows({ caseFile, elements, issues }: DraftBasis, claimant: string): TableRow[] {
  const isAdmitted = (element_id: string) =>
    (elements.find((each) => each.element_id === element_id)?.evidence ?? []).some((id) =>
      id.startsWith('intake.'),
    )
  const listSources = (element_id: string): Source[] => [
    ...(elements.find((each) => each.element_id === element_id)?.evidence ?? []).map(
      (id): Source =>
        id.startsWith('intake.') ? { kind: 'fact', key: id } : { kind: 'file', file_id: id },
    ),
    ...form,
  ]
  const open = issues.filter(({ element_id }) => !isAdmitted(element_id))
  return open.map(({ element_id, burden }) => ({
    cells: [
      caseFile.elements.find((each) => each.element_id === element_id)?.name ?? element_id,
      burden === 'plaintiff'
        ? `应由${claimant}举证证明；不能证明的，其请求不应得到支持。`
        : '由答辩人举证，相关事实和证据见下文。',
    ],
    sources: listSources(element_id),
  }))
}
