/** A clause of a file with its dates and amounts. */
export interface FilePassage {
  clause: string
  dates: string[]
  amounts: number[]
}

/** How files of some kinds answer a question of the intake. */
interface FileRule {
  /** Key of the question below the state of the intake. */
  key: string
  /** Kinds of evidence (`evidence_analysis/kinds.ts`). */
  kinds: string[]
  /** Causes that the rule holds for. Default: all. */
  causes?: string[]
  /** Words that the file must contain, and words that it must not. */
  about?: RegExp
  notAbout?: RegExp
  /** Clauses that hold the answer. Default: the file as a whole. */
  where?: RegExp
  read(passages: FilePassage[]): unknown
  /** Question that asks for the same sum, if the file differs from what the person said. */
  sameAs?: string
}

/** The only value of a list; a file with several values answers nothing. */
const onlyOne = <T>(values: T[]): T | undefined => {
  const distinct = [...new Set(values)]
  return distinct.length === 1 ? distinct[0] : undefined
}
const day = (passages: FilePassage[]) => onlyOne(passages.flatMap(({ dates }) => dates))
const money = (passages: FilePassage[]) => onlyOne(passages.flatMap(({ amounts }) => amounts))
const words = ([first]: FilePassage[]) => first!.clause.slice(0, 200)
const percent = ([first]: FilePassage[]) => {
  const [, digits] = /(\d+(?:\.\d+)?)\s?%/u.exec(first!.clause) ?? []
  return digits === undefined ? undefined : Number(digits)
}
const yes = () => true
const always = (value: string) => () => value

const loan = ['private_lending']
const agreement = ['iou', 'contract']
/** A transfer that pays a loan back. */
const repayment = /归还|还款|偿还|repa(?:y|id)/iu
const yearlyRate = /年(?:利率|息)|(?:annual|yearly) (?:interest )?rate|% (?:a|per) year/iu

/** What files answer, so that the person is not asked for it. */
export const fileRules: FileRule[] = [
  {
    key: 'private_lending.agreement_form',
    kinds: agreement,
    causes: loan,
    read: always('written'),
  },
  {
    key: 'private_lending.delivery_method',
    kinds: ['bank_transfer'],
    causes: loan,
    notAbout: repayment,
    read: (passages) =>
      passages.some(({ clause }) => /微信|支付宝|wechat|alipay/iu.test(clause))
        ? 'mobile_payment'
        : 'bank_transfer',
  },
  {
    key: 'private_lending.delivered_amount',
    kinds: ['bank_transfer'],
    causes: loan,
    notAbout: repayment,
    read: money,
    sameAs: 'amount',
  },
  {
    key: 'private_lending.repaid_amount',
    kinds: ['bank_transfer'],
    causes: loan,
    about: repayment,
    read: money,
  },
  {
    key: 'private_lending.due_date',
    kinds: agreement,
    causes: loan,
    where: /归还|还款|还清|偿还|return|repa[iy]|due/iu,
    read: day,
  },
  { key: 'interest_agreed', kinds: agreement, causes: loan, where: yearlyRate, read: yes },
  {
    key: 'private_lending.annual_rate',
    kinds: agreement,
    causes: loan,
    where: yearlyRate,
    read: percent,
  },
  { key: 'event_date', kinds: ['bank_transfer'], causes: loan, notAbout: repayment, read: day },
  { key: 'amount', kinds: ['iou'], causes: loan, read: money },
  {
    key: 'written_contract',
    kinds: ['contract'],
    causes: ['labor_dispute', 'work_injury'],
    where: /劳动合同|(?:employment|labou?r) contract/iu,
    read: yes,
  },
  {
    key: 'written_contract',
    kinds: ['contract'],
    causes: ['lease_contract', 'sale_contract', 'construction_contract', 'partnership'],
    read: yes,
  },
  {
    key: 'event_date',
    kinds: ['dismissal_notice'],
    causes: ['labor_dispute'],
    where: /解除|终止|terminat/iu,
    read: day,
  },
  {
    key: 'labor_dispute.ending',
    kinds: ['dismissal_notice'],
    where: /(?:公司|单位|研究)[^，。；]{0,6}决定|予以(?:辞退|解除)|与[您你][^，。；]{0,4}解除/u,
    read: always('dismissed'),
  },
  { key: 'labor_dispute.dismissal_notice', kinds: ['dismissal_notice'], read: yes },
  { key: 'traffic_accident.police_finding', kinds: ['accident_finding'], read: yes },
  {
    key: 'traffic_accident.insurance',
    kinds: ['accident_finding', 'contract', 'document'],
    where: /交强险|商业(?:三者)?险|保险公司/u,
    read: words,
  },
  {
    key: 'event_date',
    kinds: ['certificate'],
    causes: ['divorce', 'inheritance'],
    where: /登记日期|死亡(?:日期|时间)|去世/u,
    read: day,
  },
  {
    key: 'lease_contract.lease_term',
    kinds: ['contract'],
    where: /租(?:赁期|期)|lease term/iu,
    read: words,
  },
  { key: 'sale_contract.goods', kinds: ['contract'], where: /标的|货物名称/u, read: words },
  {
    key: 'sale_contract.payment_due_date',
    kinds: ['contract'],
    where: /付清|付款|支付/u,
    read: day,
  },
  {
    key: 'housing_sale.contract_form',
    kinds: ['contract'],
    causes: ['housing_sale'],
    read: (passages) =>
      passages.some(({ clause }) => /认购|订购/u.test(clause)) ? 'subscription' : 'sale',
  },
  {
    key: 'housing_sale.due_date',
    kinds: ['contract'],
    where: /交房|交付房屋|过户|转移登记/u,
    read: day,
  },
]
