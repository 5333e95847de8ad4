import type { Question } from '../../card.ts'
import type { CaseFact } from '../_shared/case-file.ts'
import type { Bilingual } from '../_shared/language.ts'

/** Source of the inputs of a calculator: facts of the case, then answers to the cards of the skill. */
export interface InputSource {
  /** Value of a fact by its key without `intake.`, or of an answer. Undefined if unknown. */
  get(name: string): unknown
  /** Whether a value is known that the person has not confirmed. */
  isUnconfirmed(name: string): boolean
  /** Starts to collect the facts that are read. */
  startReading(): void
  /** Facts that were read since, by name. */
  listRead(): Record<string, unknown>
  /** Facts that were asked for and that the person has not confirmed. */
  listUnconfirmed(): CaseFact[]
  /** Key of the fact or of the answer that holds a value. */
  keyOf(name: string): string
  money(name: string): number | undefined
  day(name: string): string | undefined
  today: string
  /** Messages of the person. */
  texts: string[]
  /** Sides of the cause whose elements the case has: that of the party that claims; all if it is unknown. */
  sides: string[]
  /** Years of the limitation period of the cause. */
  limitationYears: number | undefined
  /** Results of earlier plans, by calculator. */
  results: Record<string, Record<string, unknown>>
  /** Sum of the claims so far, in yuan. It rests on all facts that were read before. */
  sumClaims(): number
  addClaim(amount: number): void
}

/** An input that a plan asks for if no fact holds it. */
export interface InputQuestion {
  name: string
  question: Bilingual
  input_type: Question['input_type']
}

export interface Claim {
  name: Bilingual
  amount: number
  /** Names of the elements that this claim rests on and others of the cause do not. */
  elements?: string[]
}

/** A claim whose amount is a fact of the case, or a claim that is not about money. */
export interface StatedClaim {
  name: Bilingual
  /** Fact that holds the amount. Default: the claim is not about money. */
  input?: InputQuestion
  /** Aims of the person for which the claim is made. Default: all. */
  when?: RegExp
  /** Aims that exclude the claim. */
  unless?: RegExp
  /** Words that give up a claim which is made by default. */
  waived?: RegExp
  /** Whether the case needs the claim. Default: always. */
  applies?(source: InputSource): boolean
  /** Side that can make the claim. Default: either. */
  side?: string
  elements?: Claim['elements']
}

/** How a calculator is used for a cause. */
export interface Plan {
  calculator: string
  /** Whether the case needs the calculation. Default: always. */
  applies?(source: InputSource): boolean
  /** Inputs that must be known. Those that are not are asked. */
  needs(source: InputSource): InputQuestion[]
  inputs(source: InputSource): Record<string, unknown>
  claims?(result: Record<string, unknown>, source: InputSource): Claim[]
  /** Names of all elements that its claims may name. */
  elements?: string[]
}

const ask = (
  name: string,
  input_type: InputQuestion['input_type'],
  zh: string,
  en: string,
): InputQuestion => ({ name, input_type, question: { zh, en } })

/** Inputs that several plans ask for. */
export const inputs = {
  amount: ask('amount', 'money', '涉及的金额是多少元？', 'How much money is it about, in CNY?'),
  event_date: ask('event_date', 'date', '事情发生在哪一天？', 'On which day did it happen?'),
  due_date: ask(
    'private_lending.due_date',
    'date',
    '约定哪一天还款？没有约定可不填。',
    'On which day was repayment due? Leave empty if none was agreed.',
  ),
  annual_rate: ask(
    'private_lending.annual_rate',
    'number',
    '约定的年利率是百分之几？',
    'What yearly interest rate was agreed, in per cent?',
  ),
  repaid_on: ask(
    'repaid_on',
    'date',
    '最近一次还款是哪一天？',
    'On which day was the last repayment?',
  ),
  monthly_wage: ask(
    'monthly_wage',
    'money',
    '解除前十二个月的平均月工资是多少元？',
    'What was the average monthly wage of the last twelve months, in CNY?',
  ),
  employment_start: ask(
    'employment_start',
    'date',
    '哪一天入职？',
    'On which day did the employment begin?',
  ),
  children: ask(
    'children_count',
    'number',
    '有几个未成年子女？',
    'How many minor children are there?',
  ),
  other_income: ask(
    'other_parent_income',
    'money',
    '不直接抚养子女的一方每月收入多少元？',
    'What does the parent who will not live with the child earn a month, in CNY?',
  ),
  annual_income: ask(
    'local_annual_income',
    'money',
    '受诉法院所在地上一年度城镇居民人均可支配收入是多少元？',
    'What was last year’s per-capita disposable income at the court’s place, in CNY?',
  ),
  disability_share: ask(
    'disability_percent',
    'number',
    '伤残赔偿系数是百分之几（十级10，每高一级加10）？',
    'What is the disability coefficient in per cent (grade ten 10, ten more per grade)?',
  ),
  age: ask('victim_age', 'number', '受害人多少周岁？', 'How old is the victim?'),
  unpaid_wages: ask(
    'labor_dispute.unpaid_total',
    'money',
    '拖欠的工资共多少元？',
    'How much is unpaid in wages, in CNY?',
  ),
  traffic_medical: ask(
    'traffic_accident.medical_costs',
    'money',
    '目前已花医疗费多少元？',
    'What were the medical costs so far, in CNY?',
  ),
  injury_medical: ask(
    'personal_injury.medical_costs',
    'money',
    '已支出医疗费多少元？',
    'What were the medical costs so far, in CNY?',
  ),
  house_paid: ask(
    'housing_sale.paid_amount',
    'money',
    '已经支付了多少购房款（元）？',
    'How much of the price was paid, in CNY?',
  ),
  sale_paid: ask(
    'sale_contract.paid_amount',
    'money',
    '已经付了多少货款（元）？',
    'How much of the price was paid, in CNY?',
  ),
  paid_for_debtor: ask(
    'guarantee.paid_for_debtor',
    'money',
    '已经代为偿还多少元？',
    'How much was paid for the debtor, in CNY?',
  ),
  overcharged: ask(
    'property_service.overcharged',
    'money',
    '多收、重复收取的费用共多少元？',
    'How much was overcharged, in CNY?',
  ),
  property_harm: ask(
    'property_service.harm_amount',
    'money',
    '损失多少元？',
    'What is the loss, in CNY?',
  ),
  service_sum: ask(
    'service_contract.claimed_amount',
    'money',
    '要求退还或支付多少元？',
    'How much is claimed, in CNY?',
  ),
  loan_outstanding: ask(
    'financial_loan.outstanding',
    'money',
    '尚欠的贷款本金是多少元？',
    'How much of the principal is outstanding, in CNY?',
  ),
  unreturned: ask(
    'unjust_enrichment.unreturned',
    'money',
    '至今还有多少元没有退还？',
    'How much has not been returned so far, in CNY?',
  ),
  vehicle_loss: ask(
    'traffic_accident.property_loss',
    'money',
    '车辆和物品损失多少元？',
    'What is the loss in vehicle and goods, in CNY?',
  ),
  last_month_wage: ask(
    'labor_dispute.last_month_wage',
    'money',
    '解除前上一个月的工资是多少元？',
    'What was the wage of the last month, in CNY?',
  ),
  local_wage: ask(
    'local_average_wage',
    'money',
    '当地上年度职工月平均工资是多少元？',
    'What was last year’s local average monthly wage, in CNY?',
  ),
}
