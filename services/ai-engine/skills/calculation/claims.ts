import { inputs, type StatedClaim } from './plan.ts'

const money = /钱|款|费|赔|付|还|compensat|pay|money|back|refund/iu
const medicalCosts = { zh: '赔偿医疗费', en: 'Compensation for medical costs' }
const endInfringement = { name: { zh: '停止侵害', en: 'An end to the infringement' } }
const damages = { name: { zh: '赔偿损失', en: 'Damages' }, input: inputs.amount }
const sumInDispute: StatedClaim = {
  name: { zh: '支付争议款项', en: 'Payment of the sum in dispute' },
  input: inputs.amount,
}

/** Claims of a cause that no calculator gives, in the order of the statement of claim. */
const claimsByCause: Record<string, StatedClaim[]> = {
  divorce: [{ name: { zh: '准予离婚', en: 'Divorce' } }],
  inheritance: [{ name: { zh: '依法分割遗产', en: 'Division of the estate by law' } }],
  labor_dispute: [
    {
      name: { zh: '支付拖欠的工资', en: 'Payment of unpaid wages' },
      input: inputs.unpaid_wages,
      when: /拖欠|欠薪|[没不]发工资|(?:unpaid|not paid|owed?)[^.]{0,12}(?:wages?|salary)/iu,
    },
  ],
  traffic_accident: [{ name: medicalCosts, input: inputs.traffic_medical, when: money }],
  personal_injury: [{ name: medicalCosts, input: inputs.injury_medical, when: money }],
  housing_sale: [
    {
      name: { zh: '解除房屋买卖合同', en: 'Rescission of the contract' },
      when: /解除|退房|resci/iu,
    },
    {
      name: { zh: '返还购房款', en: 'Return of the price' },
      input: inputs.house_paid,
      when: /解除|退|refund|money back/iu,
    },
    { name: { zh: '交付房屋', en: 'Handover of the house' }, when: /交房|交付|hand ?over/iu },
    {
      name: { zh: '协助办理转移登记', en: 'Registration of the transfer' },
      when: /过户|登记|办证|regist/iu,
    },
  ],
  construction_contract: [
    { name: { zh: '支付工程款', en: 'Payment for the works' }, input: inputs.amount },
  ],
  reputation_right: [
    { name: { zh: '停止侵害、删除侵权内容', en: 'Removal of the statements' } },
    { name: { zh: '赔礼道歉、消除影响、恢复名誉', en: 'Apology and restoration of reputation' } },
    { ...damages, when: money },
  ],
  copyright_infringement: [endInfringement, damages],
  trademark_infringement: [endInfringement, damages],
  neighbor_relations: [
    { name: { zh: '停止侵害、排除妨碍', en: 'Removal of the interference' } },
    { ...damages, when: money },
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
  return known.filter(({ when }) => !when || when.test(aim))
}

/** The claim of a case for which nothing else was found. */
export const fallbackClaim = (code: string): StatedClaim | undefined =>
  code === 'divorce' || code === 'inheritance' || code === 'housing_sale' ? undefined : sumInDispute
