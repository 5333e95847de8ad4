import type { CauseElement } from '../../cause-tools.ts'
import { amountsIn } from '../_shared/amounts.ts'
import { datesIn } from '../_shared/dates.ts'
import { bestSentence } from '../_shared/quotes.ts'
import type { EvidenceKind } from './kinds.ts'

export interface Link {
  element_id: string
  quote: string
}

/** Words of an evidence type that the document must contain too, with what counts as that. */
const qualifiers: [inType: RegExp, inText: RegExp][] = [
  [/工资|欠薪/u, /工资|薪|salary|wage/iu],
  [/社保|社会保险/u, /社保|社会保险|social insurance/iu],
  [/租金|交租/u, /租金|房租|\brent\b/iu],
  [/押金/u, /押金|保证金|deposit/iu],
  [/定金/u, /定金/u],
  [/利息|利率|付息/u, /利息|利率|月息|年息|分息|interest/iu],
  [/违约/u, /违约|penalt|breach/iu],
  [/逾期/u, /逾期|overdue|late payment/iu],
  [/配偶|夫妻/u, /配偶|夫妻|丈夫|妻子|spouse|husband|wife/iu],
  [/放款|还贷|贷款/u, /放款|贷款|按揭|loan|mortgage/iu],
  [/公证/u, /公证|notar/iu],
  [/还款(?:日|期|承诺)|承诺/u, /还|付|repay|return|pay/iu],
  [/加班/u, /加班|overtime/iu],
  [/医疗/u, /医|院|medical|hospital/iu],
]

/** Types of which the document must state an amount or a date. */
const needsAmount = /金额|数额/u
const needsDate = /日期|还款日|期限/u

/** Links a document to the elements whose evidence types it serves as, each with the passage that shows it. */
export function linkElements(
  elements: CauseElement[],
  kind: EvidenceKind,
  filename: string | null,
  text: string,
  today: string,
): Link[] {
  if (text.trim() === '') return []
  const titleText = `${filename ?? ''}\n${text.trimStart().slice(0, 120)}`
  return elements.flatMap((element): Link[] => {
    const type = element.evidence_types.find((each) => servesAs(each, kind, titleText, text, today))
    if (type === undefined) return []
    const topic = `${element.name} ${element.name_en ?? ''} ${element.description} ${element.description_en ?? ''} ${type}`
    const quote = bestSentence(text, topic, preferredPassage(type)) ?? firstLine(text)
    return quote === '' ? [] : [{ element_id: element.element_id, quote }]
  })
}

/** Evidence types list alternatives; one that describes contents (…中的利息条款) holds for all of them. */
function servesAs(
  type: string,
  kind: EvidenceKind,
  titleText: string,
  text: string,
  today: string,
): boolean {
  const describesContents = /中的|载明/u.test(type)
  return type
    .split(/[、，,]/u)
    .some((part) => isOfType(part, describesContents ? type : part, kind, titleText, text, today))
}

function isOfType(
  type: string,
  contents: string,
  { kind, stems }: EvidenceKind,
  titleText: string,
  text: string,
  today: string,
): boolean {
  const named = type.split(/[、，,及和或（）()]/u).some((part) => {
    const name = part.trim()
    return name.length >= 3 && titleText.includes(name)
  })
  if (!named && !stems.some((stem) => type.includes(stem))) return false
  if (kind === 'contract' && !named && !namesContract(type, text)) return false
  if (needsAmount.test(contents) && amountsIn(text).length === 0) return false
  if (needsDate.test(contents) && datesIn(text, today).length === 0) return false
  return qualifiers.every(([inType, inText]) => !inType.test(contents) || inText.test(text))
}

/** A contract serves as a contract of the kind that the type names: 租赁合同 needs 租赁 in the text. */
const namesContract = (type: string, text: string) =>
  type.split(/[、，,]/u).some((part) => {
    const subject = /^(.*?)(?:合同|协议|条款|订单)/u.exec(part)?.[1]?.replace(/中的$/u, '')
    return subject !== undefined && (subject === '' || text.includes(subject.slice(-2)))
  })

/** Passages with amounts or dates show elements about them best. */
const preferredPassage = (type: string): RegExp | undefined =>
  needsAmount.test(type) ? /[\d元万]/u : needsDate.test(type) ? /\d{4}|月/u : undefined

const firstLine = (text: string) =>
  text
    .trim()
    .split(/[\n\f]/)[0]!
    .slice(0, 200)
    .trim()
