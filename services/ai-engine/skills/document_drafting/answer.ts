import * as z from 'zod'
import { civilCodeFrom, lawDate } from '../_shared/citations.ts'
import { listRaisedDefences } from '../_shared/defences.ts'
import { joinFact, wordDay, wordFact } from '../_shared/word-fact.ts'
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
  const barred = limitationRows(basis, labor)
  const defences = [...defenceRows(basis), ...barred]
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
          cells: ['对请求的意见', wordRequest(basis, words.claimant, barred.length > 0)],
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

/**
 * What the answer asks for. A payment of a part of the debt defeats the claim for that part alone; only a period that
 * is over, or payment of the whole, defeats it all.
 */
function wordRequest({ caseFile }: DraftBasis, claimant: string, isBarred: boolean): string {
  const raised = listRaisedDefences(caseFile)
  const review = `${claimant}的请求以下列要件成立为前提，请依法审查其举证。`
  if (raised.length === 0 && !isBarred) return review
  const factValue = (key: string) => caseFile.facts.find((each) => each.key === key)?.value
  const paid = raised
    .flatMap(({ facts }) => facts.map(factValue))
    .filter((v) => typeof v === 'number')
  const owed = factValue('intake.private_lending.delivered_amount') ?? factValue('intake.amount')
  const isPart = paid.length > 0 && !(typeof owed === 'number' && Math.max(...paid) >= owed)
  return isBarred || !isPart
    ? `不同意${claimant}的请求，请求依法驳回。理由如下。`
    : `不同意${claimant}就已经偿还部分提出的请求，请求依法驳回该部分请求。其余请求以下列要件成立为前提，请依法审查其举证。理由如下。`
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
const limitationLaw = {
  court: [
    {
      law: '民法典',
      article: '第一百八十八条',
      quote: '向人民法院请求保护民事权利的诉讼时效期间为三年',
    },
    {
      law: '民法典',
      article: '第一百九十二条',
      quote: '诉讼时效期间届满的，义务人可以提出不履行义务的抗辩',
    },
  ],
  labor: [
    {
      law: '劳动争议调解仲裁法',
      article: '第二十七条',
      quote: '劳动争议申请仲裁的时效期间为一年',
    },
  ],
}

/** Limitation is considered only if the respondent pleads it. */
function limitationRows(basis: DraftBasis, labor: boolean): TableRow[] {
  const { calculation, caseFile, today } = basis
  const made = calculation.calculations.find(({ calculator }) => calculator === 'limitation')
  const last = LastDay.safeParse(made?.result).data?.last_day
  if (last === undefined || last >= today) return []
  const law = labor ? limitationLaw.labor : limitationLaw.court
  // The Civil Code is not the law of facts that ended before it.
  const cited = labor || lawDate(caseFile, today) >= civilCodeFrom ? law : []
  const articles = cited.map(({ article }) => article).join('、')
  const text = [
    `时效期间的最后一日为${wordDay(last, 'zh')}，答辩人提出时效抗辩。`,
    ...(articles ? [`依据：《${law[0]!.law}》${articles}`] : []),
  ].join('\n')
  return [
    {
      cells: [labor ? '仲裁时效期间届满' : '诉讼时效期间届满', text],
      sources: [
        { kind: 'calculation', id: 'limitation' },
        ...cited.map((citation): Source => ({ kind: 'citation', citation })),
      ],
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
