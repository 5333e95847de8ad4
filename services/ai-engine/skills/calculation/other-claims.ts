import { compensation, lessPaid, waivesMoney } from './claim-words.ts'
import { inputs, type StatedClaim } from './plan.ts'

const money = /钱|款|费|赔(?!礼)|付|compensat|pay|money|back|refund|damages/iu
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

/** Claims of families, work, torts and enrichment that no calculator gives, by cause, in the same order. */
export const otherClaims: Record<string, StatedClaim[]> = {
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
