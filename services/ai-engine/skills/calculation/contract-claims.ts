import { compensation, lessPaid, refund, rescission } from './claim-words.ts'
import { inputs, type StatedClaim } from './plan.ts'

const rentUnpaid =
  /欠租|拖欠[^。]{0,4}租|[不没]有?[交付][^。]{0,3}租|rent arrears|owes? [^.]{0,12}rent/iu
const recourse = /代偿|追偿|替[^。]{0,8}还|[扣划]了?我|recourse|I paid for/iu

/** Claims of contracts that no calculator gives, by cause, in the order of the statement of claim. */
export const contractClaims: Record<string, StatedClaim[]> = {
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
}
