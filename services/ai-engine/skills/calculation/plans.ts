import { addDays } from '../../calculators/days.ts'
import { readAim } from './claims.ts'
import {
  arbitrationFrom,
  arbitrationPeriod,
  limitation,
  limitationFrom,
} from './limitation-plans.ts'
import { type InputSource, inputs, type Plan } from './plan.ts'

const number = (value: unknown) => (typeof value === 'number' ? value : undefined)

/** Money that was really lent. */
const principal = (source: InputSource) =>
  source.money('private_lending.delivered_amount') ?? source.money('amount')

const loanInterest: Plan = {
  calculator: 'loan_interest',
  needs: (source) => [
    ...(principal(source) === undefined ? [inputs.amount] : []),
    inputs.event_date,
    ...(source.get('private_lending.due_date') === undefined ? [inputs.due_date] : []),
    ...(source.get('interest_agreed') === true ? [inputs.annual_rate] : []),
    ...(hasRepaid(source) ? [inputs.repaid_on] : []),
  ],
  inputs(source) {
    const made_on = source.day('event_date')!
    const due = source.day('private_lending.due_date')
    const rate = number(source.get('private_lending.annual_rate'))
    const overdue_rate = number(source.get('private_lending.overdue_rate'))
    const overdue_from = due && due >= made_on ? addDays(due, 1) : undefined
    return {
      principal: principal(source),
      made_on,
      from: made_on,
      to: source.today,
      ...(source.get('interest_agreed') !== false && rate !== undefined && { rate }),
      ...(overdue_from && overdue_from <= source.today && { overdue_from }),
      ...(overdue_from && overdue_rate !== undefined && { overdue_rate }),
      ...(hasRepaid(source) && {
        payments: [
          { on: source.day('repaid_on')!, amount: source.money('private_lending.repaid_amount') },
        ],
      }),
    }
  },
  claims: ({ principal_due, interest }, source) =>
    [
      {
        name: { zh: '返还借款本金', en: 'Repayment of the principal' },
        amount: Number(principal_due),
      },
      {
        name: { zh: '支付利息', en: 'Payment of interest' },
        amount: Number(interest),
        elements: [
          ...(source.get('interest_agreed') === true ? ['interest'] : []),
          ...(isOverdue(source) ? ['overdue_interest'] : []),
        ],
      },
    ].filter(({ amount }, index) => amount > 0 && (index === 0 || !waivesInterest(source))),
  elements: ['interest', 'overdue_interest'],
}
const waivesInterest = (source: InputSource) =>
  /不(?:要|要求|主张|收)[^，。]{0,4}利息|放弃利息|no interest/iu.test(readAim(source))
const isOverdue = (source: InputSource) =>
  (source.day('private_lending.due_date') ?? source.today) < source.today
const hasRepaid = (source: InputSource) => (source.money('private_lending.repaid_amount') ?? 0) > 0

/** The fee is for the sum of the claims, else for the amount in dispute. */
const courtFee: Plan = {
  calculator: 'court_fee',
  needs: (source) => (disputedSum(source) === undefined ? [inputs.amount] : []),
  inputs: (source) => ({ kind: 'property', amount: disputedSum(source) }),
}
const disputedSum = (source: InputSource) => source.sumClaims() || source.money('amount')

/** Who goes on working is owed no damages for the dismissal. */
const reinstatement = /恢复劳动关系|继续履行|回去上班|reinstat/iu
const endingWords =
  /辞退|解雇|开除|裁员|被裁|解除|到期|离职|补偿|赔偿金|[2二]\s*N|dismiss|fired|laid off|severance|terminat/iu

const severance: Plan = {
  calculator: 'severance',
  applies: (source) => {
    const ending = source.get('labor_dispute.ending')
    if (reinstatement.test(readAim(source)) || ending === 'resigned' || ending === 'ongoing')
      return false
    return ending !== undefined || endingWords.test(readAim(source))
  },
  needs: () => [inputs.employment_start, inputs.event_date, inputs.monthly_wage],
  inputs: (source) => ({
    start: source.day('employment_start'),
    end: source.day('event_date'),
    average_wage: source.money('monthly_wage'),
    ground: source.get('labor_dispute.ending') === 'dismissed' ? 'unlawful' : 'agreed',
    ...(source.money('labor_dispute.last_month_wage') !== undefined && {
      last_month_wage: source.money('labor_dispute.last_month_wage'),
    }),
  }),
  claims: ({ two_n, n }) =>
    two_n == null
      ? [
          {
            name: { zh: '支付经济补偿', en: 'Severance pay' },
            amount: Number(n),
            elements: ['severance'],
          },
        ]
      : [
          {
            name: { zh: '支付违法解除赔偿金', en: 'Damages for unlawful dismissal' },
            amount: Number(two_n),
            elements: ['unlawful_dismissal'],
          },
        ],
  elements: ['severance', 'unlawful_dismissal'],
}

const doubleWage: Plan = {
  calculator: 'double_wage',
  applies: (source) => source.get('written_contract') === false,
  needs: () => [inputs.employment_start, inputs.monthly_wage],
  inputs: (source) => ({
    hired_on: source.day('employment_start'),
    monthly_wage: source.money('monthly_wage'),
    ...(source.day('labor_dispute.contract_signed_date') && {
      signed_on: source.day('labor_dispute.contract_signed_date'),
    }),
    ...(source.get('labor_dispute.ending') !== 'ongoing' &&
      source.day('event_date') && { left_on: source.day('event_date') }),
  }),
  claims: ({ extra }) => [
    {
      name: { zh: '支付未签书面劳动合同的二倍工资差额', en: 'Second wage for want of a contract' },
      amount: Number(extra),
      elements: ['double_wage'],
    },
  ],
  elements: ['double_wage'],
}

const latePayment: Plan = {
  calculator: 'late_payment',
  /** Claims of the seller. If the side is unknown, who wants their money back is the buyer. */
  applies: (source) =>
    source.sides.includes('seller') &&
    !(
      source.sides.includes('buyer') &&
      /退款|退货|退还|不发货|refund|money back/iu.test(readAim(source))
    ),
  needs: (source) => [
    inputs.amount,
    ...(source.day('sale_contract.payment_due_date') ? [] : [inputs.event_date]),
  ],
  inputs: (source) => ({
    price: source.money('amount'),
    from: source.day('sale_contract.payment_due_date') ?? source.day('event_date'),
    to: source.today,
  }),
  claims: ({ low }, source) => [
    { name: { zh: '支付货款', en: 'Payment of the price' }, amount: source.money('amount')! },
    {
      name: { zh: '赔偿逾期付款损失', en: 'Damages for late payment' },
      amount: Number(low),
      elements: ['breach_liability'],
    },
  ],
  elements: ['breach_liability'],
}

const childSupport: Plan = {
  calculator: 'child_support',
  applies: (source) => source.get('has_children') === true,
  needs: () => [inputs.other_income, inputs.children],
  inputs: (source) => ({
    monthly_income: source.money('other_parent_income'),
    children: source.get('children_count'),
  }),
  claims: ({ low }) => [
    {
      name: { zh: '每月支付子女抚养费', en: 'Child support a month' },
      amount: Number(low),
      elements: ['custody'],
    },
  ],
  elements: ['custody'],
}

const divorceFee: Plan = {
  calculator: 'court_fee',
  needs: () => [],
  inputs: (source) => ({
    kind: 'divorce',
    ...(source.money('amount') !== undefined && { amount: source.money('amount') }),
  }),
}

const disability: Plan = {
  calculator: 'disability',
  applies: (source) => source.get('injured') === true,
  needs: () => [inputs.annual_income, inputs.disability_share, inputs.age],
  inputs: (source) => ({
    annual_income: source.money('local_annual_income'),
    share: Number(source.get('disability_percent')) / 100,
    age: source.get('victim_age'),
  }),
  claims: ({ amount }) => [
    { name: { zh: '赔偿残疾赔偿金', en: 'Compensation for disability' }, amount: Number(amount) },
  ],
}

/** Outside of traffic most injuries leave no disability: a grade is needed. */
const gradedDisability: Plan = {
  ...disability,
  applies: (source) => source.get('personal_injury.grade') === 'yes',
}

const workInjury: Plan = {
  calculator: 'work_injury',
  applies: (source) => /^\d+$/.test(String(source.get('work_injury.grade'))),
  needs: () => [inputs.monthly_wage, inputs.local_wage],
  inputs: (source) => ({
    grade: Number(source.get('work_injury.grade')),
    monthly_wage: source.money('monthly_wage'),
    local_average_wage: source.money('local_average_wage'),
  }),
  /** The insurance fund pays the grant of an insured employee, the employer that of one who is not. */
  claims: ({ grant }, source) =>
    source.get('work_injury.insured') === false
      ? [
          {
            name: { zh: '支付一次性伤残补助金', en: 'One-off disability grant' },
            amount: Number(grant),
            elements: ['disability_grade'],
          },
        ]
      : [],
  elements: ['disability_grade'],
}

const plansByCause: Record<string, Plan[]> = {
  private_lending: [loanInterest, limitationFrom('private_lending.due_date'), courtFee],
  labor_dispute: [severance, doubleWage, arbitrationPeriod],
  // The right is known with the recognition, not on the day of the injury.
  work_injury: [workInjury, arbitrationFrom('work_injury.recognised_date')],
  sale_contract: [
    latePayment,
    limitationFrom('sale_contract.payment_due_date', 'event_date'),
    courtFee,
  ],
  housing_sale: [limitationFrom('housing_sale.due_date'), courtFee],
  // The day of the contract or of completion is not that on which the price is due.
  construction_contract: [limitationFrom('construction_contract.payment_due_date'), courtFee],
  // A debt in instalments: from the last one, or from the day on which all became due.
  financial_loan: [limitationFrom('financial_loan.acceleration_date'), courtFee],
  // An end to an interference, and an apology, can be claimed at any time.
  neighbor_relations: [courtFee],
  reputation_right: [courtFee],
  // The day on which these can be claimed follows from terms that the intake does not ask for.
  equity_transfer: [courtFee],
  guarantee: [courtFee],
  divorce: [childSupport, divorceFee],
  traffic_accident: [disability, limitation, courtFee],
  personal_injury: [gradedDisability, limitation, courtFee],
  // The fee depends on what the shares are worth, which the estate as a whole does not show. The division of an
  // estate that the heirs hold in common is usually not subject to limitation.
  inheritance: [],
}

/** Calculators of a cause, in order: a later plan may use the results of earlier ones. */
export const plansOf = (code: string): Plan[] => plansByCause[code] ?? [limitation, courtFee]
