import type { Bilingual } from '../_shared/language.ts'
import type { FieldKey } from './fields.ts'

export interface Cause {
  code: string
  name: Bilingual
  category: string
  /** Whether the matter has opposing parties, so that the client's role is needed. */
  dispute: boolean
  /** Patterns of strong and weak evidence for the cause. */
  strong: RegExp
  weak: RegExp
  /** Required fields beyond those of every matter, at most two, and useful fields. */
  required: FieldKey[]
  useful: FieldKey[]
  /** Event that `event_date` refers to. */
  event: Bilingual
}

const civil = { category: 'civil_litigation', dispute: true }
const defaultEvent: Bilingual = { zh: '事情发生的日期', en: 'the day it happened' }

export const causes: Cause[] = [
  {
    code: 'private_lending',
    name: { zh: '民间借贷纠纷', en: 'Private lending' },
    ...civil,
    strong: /民间借贷|借条|欠条|借给|借款|IOU|\blen[dt]\b|\bloan/giu,
    weak: /借了|欠钱|还钱|不还|利息|\bowe[sd]?\b|borrow|repay|interest/giu,
    required: ['amount', 'event_date'],
    useful: ['interest_agreed'],
    event: { zh: '借款交付的日期', en: 'the day the money was handed over' },
  },
  {
    code: 'labor_dispute',
    name: { zh: '劳动争议', en: 'Labor dispute' },
    category: 'labor_arbitration',
    dispute: true,
    strong:
      /劳动争议|劳动合同|劳动仲裁|工资|辞退|解雇|开除|裁员|社保|加班费|工伤|\bwages?\b|salary|dismiss(?:ed|al)|laid off|fired|overtime|employment contract/giu,
    weak: /公司|老板|单位|上班|入职|离职|加班|employer|employee|\bjob\b/giu,
    required: ['monthly_wage', 'event_date'],
    useful: ['employment_start', 'written_contract'],
    event: {
      zh: '争议发生的日期（如解除、欠薪开始）',
      en: 'the day the dispute began (dismissal, first unpaid wage)',
    },
  },
  {
    code: 'sale_contract',
    name: { zh: '买卖合同纠纷', en: 'Sale contract' },
    ...civil,
    strong:
      /买卖合同|货款|采购合同|购销|sales? contract|purchase (?:contract|order)|unpaid goods/giu,
    weak: /发货|供货|货物|交货|买方|卖方|质量问题|退货|goods|deliver|seller|buyer|supplier|invoice/giu,
    required: ['amount', 'event_date'],
    useful: ['written_contract'],
    event: { zh: '合同签订或交货的日期', en: 'the day of the contract or the delivery' },
  },
  {
    code: 'lease_contract',
    name: { zh: '租赁合同纠纷', en: 'Lease contract' },
    ...civil,
    strong:
      /租赁|租房|房租|租金|押金|房东|租客|\blease|landlord|tenan(?:t|cy)|\brent(?:al|ed)?\b/giu,
    weak: /退租|出租|承租|搬走|deposit|apartment/giu,
    required: ['amount', 'event_date'],
    useful: ['written_contract'],
    event: { zh: '租赁开始或争议发生的日期', en: 'the day the lease or the dispute began' },
  },
  {
    code: 'divorce',
    name: { zh: '离婚纠纷', en: 'Divorce' },
    ...civil,
    strong: /离婚|抚养权|抚养费|夫妻共同财产|divorce|custody|alimony/giu,
    weak: /老公|老婆|丈夫|妻子|结婚|婚姻|家暴|出轨|husband|wife|marriage|married/giu,
    required: ['event_date', 'has_children'],
    useful: [],
    event: { zh: '结婚登记的日期', en: 'the day of the marriage' },
  },
  {
    code: 'traffic_accident',
    name: { zh: '机动车交通事故责任纠纷', en: 'Traffic accident' },
    ...civil,
    strong:
      /交通事故|车祸|撞车|被.{0,6}撞|追尾|肇事|car accident|traffic accident|hit by a (?:car|truck)|collision/giu,
    weak: /交警|事故认定|保险公司|驾驶|insurer|driver/giu,
    required: ['event_date', 'injured'],
    useful: ['amount'],
    event: { zh: '事故发生的日期', en: 'the day of the accident' },
  },
  {
    code: 'inheritance',
    name: { zh: '继承纠纷', en: 'Inheritance' },
    ...civil,
    strong: /继承|遗产|遗嘱|inherit|\bestate of\b|last will|testament/giu,
    weak: /去世|过世|死后|passed away|heir/giu,
    required: ['event_date'],
    useful: ['amount'],
    event: { zh: '被继承人去世的日期', en: 'the day of the death' },
  },
  {
    code: 'personal_injury',
    name: { zh: '生命权、身体权、健康权纠纷', en: 'Personal injury' },
    ...civil,
    strong: /人身损害|被打伤|打伤|殴打|医疗费|personal injury|beaten|assault(?:ed)?/giu,
    weak: /受伤|伤残|住院|骨折|injur(?:y|ed)|hospital/giu,
    required: ['event_date'],
    useful: ['amount'],
    event: { zh: '受伤的日期', en: 'the day of the injury' },
  },
  {
    code: 'construction_contract',
    name: { zh: '建设工程合同纠纷', en: 'Construction contract' },
    ...civil,
    strong: /工程款|建设工程|施工合同|装修合同|construction contract|contractor/giu,
    weak: /施工|工地|包工头|装修|renovation|building site/giu,
    required: ['amount', 'event_date'],
    useful: ['written_contract'],
    event: { zh: '合同签订或完工的日期', en: 'the day of the contract or the completion' },
  },
  {
    code: 'criminal_defense',
    name: { zh: '刑事案件', en: 'Criminal case' },
    category: 'criminal_litigation',
    dispute: true,
    strong: /刑事|拘留|逮捕|取保候审|看守所|诈骗罪|盗窃罪|criminal|arrested|detained|\bbail\b/giu,
    weak: /公安|报警|嫌疑|police|suspect/giu,
    required: ['event_date'],
    useful: [],
    event: defaultEvent,
  },
  {
    code: 'administrative_act',
    name: { zh: '行政案件', en: 'Administrative case' },
    category: 'administrative_litigation',
    dispute: true,
    strong:
      /行政处罚|行政复议|行政诉讼|征收|拆迁|administrative (?:penalty|review|litigation)|expropriat/giu,
    weak: /罚款|行政机关|政府|government|authority/giu,
    required: ['event_date'],
    useful: ['amount'],
    event: { zh: '收到行政决定的日期', en: 'the day the decision was received' },
  },
  {
    code: 'contract_review',
    name: { zh: '合同审查或起草', en: 'Contract review or drafting' },
    category: 'non_litigation',
    dispute: false,
    strong:
      /(?:审查|审核|审阅|起草|拟定?)(?:一[份下个])?.{0,6}(?:合同|协议)|(?:review|draft)\w*\s+(?:\w+\s+){0,3}(?:contract|agreement)/giu,
    weak: /合同审查|保密协议|\bNDA\b/giu,
    required: [],
    useful: ['amount'],
    event: defaultEvent,
  },
  {
    code: 'other',
    name: { zh: '其他', en: 'Something else' },
    category: 'consultation',
    dispute: false,
    strong: /(?!)/gu,
    weak: /(?!)/gu,
    required: [],
    useful: ['event_date', 'amount'],
    event: defaultEvent,
  },
]

/** An unknown code is treated as `other`. */
export const findCause = (code: unknown): Cause =>
  causes.find((cause) => cause.code === code) ?? causes.at(-1)!

/** Returns the cause with the highest score, if it is unique. */
export function detectCause(text: string): string | undefined {
  const counts = (pattern: RegExp) => new Set(text.match(pattern) ?? []).size
  const scored = causes
    .map(({ code, strong, weak }) => ({ code, score: 3 * counts(strong) + counts(weak) }))
    .sort((a, b) => b.score - a.score)
  const [first, second] = scored
  return first!.score >= 2 && first!.score > second!.score ? first!.code : undefined
}
