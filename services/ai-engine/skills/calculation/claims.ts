import { type InputQuestion, type InputSource, inputs, type StatedClaim } from './plan.ts'
import { wishesIn } from './wishes.ts'

const money = /钱|款|费|赔(?!礼)|付|compensat|pay|money|back|refund|damages/iu
const compensation = /赔(?!礼)|损失|要钱|compensat|damages|money/iu
const waivesMoney =
  /不(?:要|求|主张|要求)[^，。]{0,4}(?:钱|赔(?!礼))|no (?:money|damages|compensation)|only an apology/iu
const refund = /退|返还|refund|money back|\breturn/iu
const rescission = /解除|退房|退股|撤销|resci|terminat/iu
const medicalCosts = { zh: '赔偿医疗费', en: 'Compensation for medical costs' }
const endInfringement = { name: { zh: '停止侵害', en: 'An end to the infringement' } }
const damages = {
  name: { zh: '赔偿损失', en: 'Damages' },
  input: inputs.amount,
  waived: waivesMoney,
}
const moralDamages = {
  name: { zh: '赔偿精神损害抚慰金', en: 'Damages for mental suffering' },
  when: /精神|mental/iu,
}
const noInjury = /没有?人?受伤|nobody was hurt|no injur/iu
const rentUnpaid =
  /欠租|拖欠[^。]{0,4}租|[不没]有?[交付][^。]{0,3}租|rent arrears|owes? [^.]{0,12}rent/iu
const recourse = /代偿|追偿|替[^。]{0,8}还|[扣划]了?我|recourse|I paid for/iu
const sumInDispute: StatedClaim = {
  name: { zh: '支付争议款项', en: 'Payment of the sum in dispute' },
  input: inputs.amount,
}

/** A claim for the amount or, if part of it was paid, for what the person states is left. */
function lessPaid(name: StatedClaim['name'], paid: string, left: InputQuestion): StatedClaim[] {
  const hasPaid = (source: InputSource) => (source.money(paid) ?? 0) > 0
  return [
    { name, input: inputs.amount, applies: (source) => !hasPaid(source) },
    { name, input: left, applies: hasPaid },
  ]
}

/** Claims of a cause that no calculator gives, in the order of the statement of claim. */
const claimsByCause: Record<string, StatedClaim[]> = {
  divorce: [
    { name: { zh: '准予离婚', en: 'Divorce' } },
    {
      name: { zh: '子女由原告直接抚养', en: 'Custody of the child' },
      when: /抚养权|(?:孩子|子女|儿子|女儿)[^。，]{0,4}归我|要[^。，]{0,4}抚养|custody/iu,
      unless: /(?:抚养权|孩子|子女|儿子|女儿)[^，。]{0,4}(?:给|归|由|跟)(?:他|她|对方)/u,
      elements: ['custody'],
    },
    {
      name: { zh: '依法分割夫妻共同财产', en: 'Division of the common property' },
      when: /分割[^。]{0,8}(?:财产|房|存款)|房[^。，]{0,4}归我|共同财产|平分|divid[^.]{0,20}(?:property|assets)/iu,
      elements: ['property'],
    },
    {
      name: { zh: '支付离婚损害赔偿', en: 'Damages for fault' },
      input: inputs.amount,
      when: /损害赔偿|精神(?:损害|损失)|过错[^。，]{0,4}赔/u,
      elements: ['fault_damages'],
    },
    {
      name: { zh: '依法分担夫妻共同债务', en: 'Division of the common debts' },
      when: /共同债务|债务[^。，]{0,4}分担/u,
      elements: ['common_debts'],
    },
  ],
  inheritance: [{ name: { zh: '依法分割遗产', en: 'Division of the estate by law' } }],
  labor_dispute: [
    {
      name: { zh: '支付拖欠的工资', en: 'Payment of unpaid wages' },
      input: inputs.unpaid_wages,
      when: /拖欠|欠薪|[没不]有?(?:给[^。，]{0,3})?发[^。，]{0,3}工资|(?:unpaid|not paid|owed?)[^.]{0,12}(?:wages?|salary)/iu,
      elements: ['unpaid_wages'],
    },
    {
      name: { zh: '继续履行劳动合同', en: 'Reinstatement' },
      when: /恢复劳动关系|继续履行|回去上班|reinstat/iu,
    },
    {
      name: { zh: '支付加班费', en: 'Overtime pay' },
      when: /加班(?:费|工资)|overtime pay/iu,
      elements: ['overtime'],
    },
    {
      name: { zh: '支付未休年休假工资', en: 'Pay for untaken leave' },
      when: /年(?:休)?假|annual leave/iu,
      elements: ['annual_leave'],
    },
    {
      name: { zh: '支付代通知金', en: 'Pay in lieu of notice' },
      input: inputs.last_month_wage,
      when: /代通知金|N\s*\+\s*1|in lieu of notice/iu,
      unless: /违法解除|2\s*N|赔偿金/iu,
      elements: ['notice_pay'],
    },
    {
      name: { zh: '支付加付赔偿金', en: 'Additional damages' },
      when: /加付赔偿金/u,
      elements: ['additional_damages'],
    },
  ],
  traffic_accident: [
    { name: medicalCosts, input: inputs.traffic_medical, when: money, unless: noInjury },
    {
      name: { zh: '赔偿财产损失', en: 'Damages to property' },
      input: inputs.vehicle_loss,
      when: /修车|车损|车辆损失|财产损失|repair|damage to my car/iu,
      elements: ['property_loss'],
    },
    { ...moralDamages, elements: ['moral_damages'] },
  ],
  personal_injury: [
    { name: medicalCosts, input: inputs.injury_medical, when: money, waived: waivesMoney },
    { ...moralDamages, elements: ['mental_harm'] },
  ],
  medical_damage: [damages],
  product_liability: [
    damages,
    {
      name: { zh: '支付惩罚性赔偿', en: 'Punitive damages' },
      when: /惩罚性|退一赔|[三十]倍|punitive/iu,
      elements: ['punitive'],
    },
  ],
  housing_sale: [
    {
      name: { zh: '解除房屋买卖合同', en: 'Rescission of the contract' },
      when: rescission,
      elements: ['rescission'],
    },
    {
      name: { zh: '返还购房款', en: 'Return of the price' },
      input: inputs.house_paid,
      when: /解除|退|refund|money back/iu,
      side: 'buyer',
      elements: ['rescission'],
    },
    {
      name: { zh: '交付房屋', en: 'Handover of the house' },
      when: /交房|交付|我要房|hand ?over/iu,
      side: 'buyer',
      unless: rescission,
    },
    {
      name: { zh: '协助办理转移登记', en: 'Registration of the transfer' },
      when: /过户|登记|办证|regist/iu,
      unless: rescission,
      side: 'buyer',
    },
    {
      name: { zh: '支付购房款', en: 'Payment of the price' },
      input: inputs.amount,
      when: /尾款|余款|付款|房款/u,
      unless: /解除|退/u,
      side: 'seller',
    },
    {
      name: { zh: '支付违约金', en: 'Agreed penalty' },
      when: /违约金|penalty/iu,
      elements: ['penalty'],
    },
    {
      name: { zh: '双倍返还定金', en: 'Twice the deposit' },
      when: /双倍[^。，]{0,6}定金|定金[^。，]{0,4}双倍|twice the deposit/iu,
      elements: ['deposit'],
      side: 'buyer',
    },
  ],
  construction_contract: [
    {
      name: { zh: '支付工程款', en: 'Payment for the works' },
      input: inputs.amount,
      side: 'contractor',
    },
    {
      name: { zh: '赔偿修复费用', en: 'Costs of repair' },
      input: inputs.amount,
      when: /修复|维修|返工|repair/iu,
      side: 'owner',
    },
    {
      name: { zh: '支付逾期竣工违约金', en: 'Penalty for delay' },
      input: inputs.amount,
      when: /逾期|延误|延期|penalty|delay/iu,
      unless: /修复|维修|返工|repair/iu,
      side: 'owner',
    },
    {
      name: {
        zh: '就工程折价或者拍卖的价款优先受偿',
        en: 'Priority over the proceeds of the works',
      },
      when: /优先受偿|priority/iu,
      side: 'contractor',
      elements: ['priority'],
    },
  ],
  lease_contract: [
    {
      name: { zh: '解除租赁合同', en: 'Termination of the lease' },
      when: /解除|终止[^。，]{0,4}(?:合同|租)|收回[^。，]{0,4}房|terminat/iu,
      elements: ['termination'],
    },
    {
      name: { zh: '腾退并返还房屋', en: 'Return of the premises' },
      when: /搬走|搬出|腾退|腾房|收回[^。，]{0,4}房|vacate|evict|move out/iu,
      side: 'lessor',
    },
    {
      name: { zh: '退还押金', en: 'Return of the deposit' },
      input: inputs.amount,
      when: /押金|保证金|deposit/iu,
      unless: rentUnpaid,
      side: 'lessee',
      elements: ['deposit_return'],
    },
    {
      name: { zh: '支付租金', en: 'Payment of the rent' },
      input: inputs.amount,
      when: rentUnpaid,
      side: 'lessor',
      elements: ['delivery_and_use', 'rent_arrears'],
    },
    {
      name: { zh: '赔偿装饰装修损失', en: 'Damages for the fitting-out' },
      when: /装修[^。，]{0,6}(?:损失|赔|残值)/u,
      side: 'lessee',
      elements: ['decoration'],
    },
    {
      name: { zh: '赔偿损失', en: 'Damages' },
      input: inputs.amount,
      when: /维修|漏水|不能住|没法住|repair|unfit/iu,
      unless: /押金|保证金|deposit/iu,
      side: 'lessee',
      elements: ['unfit_premises'],
    },
  ],
  private_lending: [
    {
      name: { zh: '配偶对借款本息共同偿还', en: 'Repayment by the spouse as well' },
      when: /(?:老[婆公]|配偶|妻子|丈夫|夫妻)[^。，]{0,6}(?:一起|共同|也)[^。，]{0,4}(?:还|偿|承担)/u,
      elements: ['spouse_liability'],
    },
  ],
  property_service: [
    {
      name: { zh: '退出物业服务区域并移交', en: 'Withdrawal and handover' },
      when: /退出|移交|解聘/u,
      side: 'owner',
      elements: ['dismissal'],
    },
    {
      name: { zh: '支付逾期违约金', en: 'Penalty for late payment' },
      when: /违约金|滞纳金/u,
      side: 'manager',
      elements: ['penalty'],
    },
    {
      name: { zh: '支付物业费', en: 'Payment of the property fee' },
      input: inputs.amount,
      when: /物业费|property (?:management )?fee/iu,
      unless: refund,
      side: 'manager',
    },
    {
      name: { zh: '退还多收的费用', en: 'Return of the overcharged fee' },
      input: inputs.overcharged,
      when: refund,
      side: 'owner',
      elements: ['illegal_charges'],
    },
    {
      name: { zh: '赔偿损失', en: 'Damages' },
      input: inputs.property_harm,
      when: compensation,
      side: 'owner',
      elements: ['owner_harm'],
    },
  ],
  service_contract: [
    {
      name: { zh: '退还费用', en: 'Return of the fee' },
      input: inputs.service_sum,
      when: refund,
      side: 'customer',
      elements: ['defective_service', 'rescission'],
    },
    {
      name: { zh: '赔偿损失', en: 'Damages' },
      input: inputs.service_sum,
      when: compensation,
      unless: refund,
      side: 'customer',
      elements: ['defective_service'],
    },
    {
      name: { zh: '支付服务报酬', en: 'Payment for the services' },
      input: inputs.service_sum,
      when: /欠|拖|不付|不给|支付|unpaid|owe|not paid/iu,
      unless: refund,
      side: 'provider',
      elements: ['own_performance'],
    },
    {
      name: { zh: '增加赔偿三倍的费用', en: 'Three times the fee in addition' },
      when: /退一赔三|三倍|惩罚性/u,
      side: 'customer',
      elements: ['fraud'],
    },
  ],
  sale_contract: [
    {
      name: { zh: '返还货款', en: 'Return of the price' },
      input: inputs.sale_paid,
      when: /退|返还|解除|refund|money back/iu,
      side: 'buyer',
      elements: ['rescission'],
    },
    {
      name: { zh: '交付货物', en: 'Delivery of the goods' },
      when: /发货|交货|交付|deliver/iu,
      unless: /退|返还|解除|refund|money back/iu,
      side: 'buyer',
    },
  ],
  equity_transfer: [
    {
      name: { zh: '解除股权转让合同', en: 'Rescission of the transfer' },
      when: /解除|resci/iu,
      elements: ['rescission'],
    },
    {
      name: { zh: '返还股权转让款', en: 'Return of the price' },
      input: inputs.amount,
      when: refund,
      side: 'transferee',
      elements: ['rescission'],
    },
    {
      name: { zh: '支付股权转让款', en: 'Payment of the price of the shares' },
      input: inputs.amount,
      when: /欠|拖|不付|没付|未付|付清|支付|unpaid|owe|not paid/iu,
      unless: /解除|退|返还|refund/iu,
      side: 'transferor',
      elements: ['price_due'],
    },
    {
      name: { zh: '办理股权变更登记', en: 'Registration of the transfer' },
      when: /变更登记|过户|办理变更|regist/iu,
      unless: rescission,
      side: 'transferee',
      elements: ['transfer_performance'],
    },
  ],
  guarantee: [
    {
      name: { zh: '偿还代为清偿的款项', en: 'Reimbursement of the paid debt' },
      input: inputs.paid_for_debtor,
      when: recourse,
      elements: ['recourse'],
    },
    {
      name: { zh: '承担保证责任', en: 'Payment by the guarantor' },
      input: inputs.amount,
      unless: recourse,
      elements: ['mode', 'period', 'scope'],
    },
  ],
  financial_loan: [
    ...lessPaid(
      { zh: '返还借款', en: 'Repayment of the loan' },
      'financial_loan.repaid',
      inputs.loan_outstanding,
    ),
    {
      name: {
        zh: '就抵押财产折价或者拍卖、变卖的价款优先受偿',
        en: 'Priority over the proceeds of the mortgaged property',
      },
      when: /抵押|mortgage/iu,
      elements: ['security'],
    },
  ],
  reputation_right: [
    { name: { zh: '停止侵害、删除侵权内容', en: 'Removal of the statements' } },
    { name: { zh: '赔礼道歉、消除影响、恢复名誉', en: 'Apology and restoration of reputation' } },
    { ...damages, when: compensation },
  ],
  copyright_infringement: [endInfringement, damages],
  trademark_infringement: [endInfringement, damages],
  neighbor_relations: [
    { name: { zh: '停止侵害、排除妨碍', en: 'Removal of the interference' } },
    { ...damages, when: compensation, elements: ['loss'] },
  ],
  unjust_enrichment: lessPaid(
    { zh: '返还不当得利', en: 'Return of the unjust enrichment' },
    'unjust_enrichment.returned_amount',
    inputs.unreturned,
  ),
}

/** Causes whose claims all come from calculators; the sum in dispute is claimed if these give none. */
const calculated = new Set(['private_lending', 'sale_contract', 'work_injury'])

/** What the person asks for and what happened, in their words. */
export const readAim = (source: InputSource): string =>
  `${source.get('aim') ?? ''}。${source.get('what_happened') ?? ''}`

/** Claims that the person makes besides those of the calculators. */
export function selectClaims(code: string, source: InputSource): StatedClaim[] {
  const aim = readAim(source)
  const wishes = wishesIn(aim)
  const known = claimsByCause[code] ?? (calculated.has(code) ? [] : [sumInDispute])
  return known.filter(
    ({ when, unless, waived, side, applies }) =>
      applies?.(source) !== false &&
      (!when || when.test(wishes)) &&
      !unless?.test(wishes) &&
      !waived?.test(aim) &&
      (!side || source.sides.includes(side)),
  )
}

/** The claim of a case for which nothing else was found; none if the person does not ask for money. */
export function fallbackClaim(code: string, source: InputSource): StatedClaim | undefined {
  if (code === 'divorce' || code === 'inheritance' || code === 'housing_sale') return undefined
  // The sum in dispute is more than what is left of it.
  if ((source.money(paidFacts[code] ?? '') ?? 0) > 0) return undefined
  const aim = readAim(source)
  return asksForMoney.test(wishesIn(aim)) && !waivesMoney.test(aim) ? sumInDispute : undefined
}
const paidFacts: Record<string, string> = {
  private_lending: 'private_lending.repaid_amount',
  financial_loan: 'financial_loan.repaid',
  unjust_enrichment: 'unjust_enrichment.returned_amount',
}
const asksForMoney =
  /钱|款|费|赔(?!礼)|付|还|退|欠|借|薪|资|损|money|pay|paid|owe|lent|refund|compensat|damage/iu

/** Elements that only some claims of a cause rest on. */
export const claimableElements = (code: string): string[] =>
  (claimsByCause[code] ?? []).flatMap(({ elements }) => elements ?? [])
