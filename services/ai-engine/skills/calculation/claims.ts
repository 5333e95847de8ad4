import { inputs, type StatedClaim } from './plan.ts'

const money = /钱|款|费|赔|付|还|compensat|pay|money|back|refund/iu
const refund = /退|返还|refund|money back/iu
const rescission = /解除|退房|退股|撤销|resci|terminat/iu
const medicalCosts = { zh: '赔偿医疗费', en: 'Compensation for medical costs' }
const endInfringement = { name: { zh: '停止侵害', en: 'An end to the infringement' } }
const damages = { name: { zh: '赔偿损失', en: 'Damages' }, input: inputs.amount }
const sumInDispute: StatedClaim = {
  name: { zh: '支付争议款项', en: 'Payment of the sum in dispute' },
  input: inputs.amount,
}

/** Claims of a cause that no calculator gives, in the order of the statement of claim. */
const claimsByCause: Record<string, StatedClaim[]> = {
  divorce: [
    { name: { zh: '准予离婚', en: 'Divorce' } },
    {
      name: { zh: '子女由原告直接抚养', en: 'Custody of the child' },
      when: /抚养权|(?:孩子|子女|儿子|女儿)[^。，]{0,4}归我|要[^。，]{0,4}抚养|custody/iu,
      elements: ['custody'],
    },
    {
      name: { zh: '依法分割夫妻共同财产', en: 'Division of the common property' },
      when: /分割[^。]{0,8}(?:财产|房|存款)|共同财产|平分|divid[^.]{0,20}(?:property|assets)/iu,
      elements: ['property'],
    },
  ],
  inheritance: [{ name: { zh: '依法分割遗产', en: 'Division of the estate by law' } }],
  labor_dispute: [
    {
      name: { zh: '支付拖欠的工资', en: 'Payment of unpaid wages' },
      input: inputs.unpaid_wages,
      when: /拖欠|欠薪|[没不]发工资|(?:unpaid|not paid|owed?)[^.]{0,12}(?:wages?|salary)/iu,
      elements: ['unpaid_wages'],
    },
  ],
  traffic_accident: [{ name: medicalCosts, input: inputs.traffic_medical, when: money }],
  personal_injury: [{ name: medicalCosts, input: inputs.injury_medical, when: money }],
  medical_damage: [damages],
  product_liability: [damages],
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
      elements: ['rescission'],
    },
    {
      name: { zh: '交付房屋', en: 'Handover of the house' },
      when: /交房|交付|hand ?over/iu,
      unless: rescission,
    },
    {
      name: { zh: '协助办理转移登记', en: 'Registration of the transfer' },
      when: /过户|登记|办证|regist/iu,
      unless: rescission,
    },
  ],
  construction_contract: [
    { name: { zh: '支付工程款', en: 'Payment for the works' }, input: inputs.amount },
    {
      name: {
        zh: '就工程折价或者拍卖的价款优先受偿',
        en: 'Priority over the proceeds of the works',
      },
      when: /优先受偿|priority/iu,
      elements: ['priority'],
    },
  ],
  lease_contract: [
    {
      name: { zh: '退还押金', en: 'Return of the deposit' },
      input: inputs.amount,
      when: /押金|保证金|deposit/iu,
      unless: /欠租|拖欠[^。]{0,4}租|不[交付][^。]{0,3}租|rent arrears|owes? [^.]{0,12}rent/iu,
      elements: ['deposit_return'],
    },
    {
      name: { zh: '支付租金', en: 'Payment of the rent' },
      input: inputs.amount,
      when: /欠租|拖欠[^。]{0,4}租|不[交付][^。]{0,3}租|rent arrears|owes? [^.]{0,12}rent/iu,
      elements: ['delivery_and_use', 'rent_arrears'],
    },
  ],
  property_service: [
    {
      name: { zh: '支付物业费', en: 'Payment of the property fee' },
      input: inputs.amount,
      when: /物业费|property (?:management )?fee/iu,
      unless: refund,
    },
    {
      name: { zh: '退还多收的费用', en: 'Return of the overcharged fee' },
      input: inputs.amount,
      when: refund,
      elements: ['illegal_charges'],
    },
  ],
  service_contract: [
    { name: { zh: '退还费用', en: 'Return of the fee' }, input: inputs.amount, when: refund },
    {
      name: { zh: '支付服务报酬', en: 'Payment for the services' },
      input: inputs.amount,
      when: /欠|拖|不付|不给|支付|unpaid|owe|not paid/iu,
      unless: refund,
    },
  ],
  equity_transfer: [
    {
      name: { zh: '解除股权转让合同', en: 'Rescission of the transfer' },
      when: /解除/u,
      elements: ['rescission'],
    },
    {
      name: { zh: '返还股权转让款', en: 'Return of the price' },
      input: inputs.amount,
      when: refund,
      elements: ['rescission'],
    },
    {
      name: { zh: '支付股权转让款', en: 'Payment of the price of the shares' },
      input: inputs.amount,
      when: /欠|拖|不付|没付|未付|支付|unpaid|owe|not paid/iu,
      unless: /解除|退|返还|refund/iu,
      elements: ['price_due'],
    },
    {
      name: { zh: '办理股权变更登记', en: 'Registration of the transfer' },
      when: /变更登记|过户|办理变更|regist/iu,
      unless: rescission,
      elements: ['transfer_performance'],
    },
  ],
  guarantee: [
    {
      name: { zh: '偿还代为清偿的款项', en: 'Reimbursement of the paid debt' },
      input: inputs.amount,
      when: /代偿|追偿|替[^。]{0,8}还|recourse/iu,
      elements: ['recourse'],
    },
    {
      name: { zh: '承担保证责任', en: 'Payment by the guarantor' },
      input: inputs.amount,
      unless: /代偿|追偿|替[^。]{0,8}还|recourse/iu,
    },
  ],
  financial_loan: [{ name: { zh: '返还借款', en: 'Repayment of the loan' }, input: inputs.amount }],
  reputation_right: [
    { name: { zh: '停止侵害、删除侵权内容', en: 'Removal of the statements' } },
    { name: { zh: '赔礼道歉、消除影响、恢复名誉', en: 'Apology and restoration of reputation' } },
    { ...damages, when: money },
  ],
  copyright_infringement: [endInfringement, damages],
  trademark_infringement: [endInfringement, damages],
  neighbor_relations: [
    { name: { zh: '停止侵害、排除妨碍', en: 'Removal of the interference' } },
    { ...damages, when: money, elements: ['loss'] },
  ],
  unjust_enrichment: [
    { name: { zh: '返还不当得利', en: 'Return of the unjust enrichment' }, input: inputs.amount },
  ],
}

/** Causes whose claims all come from calculators; the sum in dispute is claimed if these give none. */
const calculated = new Set(['private_lending', 'sale_contract', 'work_injury'])

/** Claims that the person makes besides those of the calculators. */
export function selectClaims(code: string, aim: string): StatedClaim[] {
  const known = claimsByCause[code] ?? (calculated.has(code) ? [] : [sumInDispute])
  return known.filter(({ when, unless }) => (!when || when.test(aim)) && !unless?.test(aim))
}

/** The claim of a case for which nothing else was found. */
export const fallbackClaim = (code: string): StatedClaim | undefined =>
  code === 'divorce' || code === 'inheritance' || code === 'housing_sale' ? undefined : sumInDispute

/** Elements that only some claims of a cause rest on. */
export const claimableElements = (code: string): string[] =>
  (claimsByCause[code] ?? []).flatMap(({ elements }) => elements ?? [])
