import { amountsIn } from '../_shared/amounts.ts'
import { datesIn } from '../_shared/dates.ts'

/** A date or an amount found in prose, with the clause that it was found in. */
export interface Figure {
  key: 'amount' | 'monthly_wage' | 'event_date' | 'employment_start'
  value: number | string
  quote: string
  /** True if the text leaves no other reading. */
  certain: boolean
}

const wagePattern = /薪|工资|月收入|salary|wages?\b|\bpaid me\b|\bearn/iu
const perMonthPattern = /每个?月|月薪|月收入|(?<!个)月工资|底薪|per month|a month|monthly/iu
/** Money that is neither the sum in dispute nor a wage. */
const otherMoneyPattern =
  /利息|抚养费|月供|水电|物业费|还了|已还|归还了|还过|退了|赔了|垫|interest|repaid|paid back|returned|refunded/iu
const disputePattern =
  /借|欠|货款|租金|押金|赔|价款|工程款|费用|转|付|定金|拿|补偿|lent|lend|loan|owe|borrow|price|rent|deposit|compensat|worth|paid|transfer/iu
/** Clauses with the sum that is left to be paid. */
const owedPattern = /(?:还|尚|仍|总共|一共|累计|共)欠|尾款|剩余|still owes?/iu
/** Clauses with a due date or with an act of another party, whose date is not the day of the event. */
const dueDatePattern =
  /约定|到期|归还|还给|还款|偿还|还清|期限|之前|以前|为止|截止|起诉|仲裁|催|due\b|repay|until\b|by (?:the )?end|deadline|sued|filed/iu
const eventPattern =
  /借|给|borrow|交付|转账|转给|签|入职|辞退|解除|开除|离职|撞|事故|结婚|登记|去世|过世|受伤|发生|打伤|摔|咬|完工|竣工|验收|造谣|诽谤|发布|收到|购买|买|交房|出生|手术|lent|lend|signed|fired|dismissed|hit|accident|married|died|passed|injured|happened|bought|hired|received|transferred/iu

/** Clauses about the beginning of an employment. */
const employmentPattern = /入职|参加工作|\b(?:was|got) hired\b|\bjoined\b|\bstarted (?:to )?work/iu

/** Finds the sum in dispute, the monthly wage, the day of the event and the first day at work, by rules. */
export function readFigures(text: string, today: string): Figure[] {
  const clauses = text
    .split(/[，。；！？\n;!?]|[,.](?!\s?\d)/)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '')
  return [...readAmounts(clauses), ...readDates(clauses, today)]
}

function readAmounts(clauses: string[]): Figure[] {
  const found = clauses.flatMap((clause) =>
    amountsIn(clause).map(({ amount }) => ({ amount, clause })),
  )
  const relevant = found.filter(({ clause }) => !otherMoneyPattern.test(clause))
  // Unpaid wages without a month are a sum in dispute.
  const wages = relevant.filter(
    ({ clause }) => wagePattern.test(clause) && perMonthPattern.test(clause),
  )
  const sums = relevant.filter(({ clause }) => !perMonthPattern.test(clause))
  const disputed = sums.filter(({ clause }) => disputePattern.test(clause))
  const owed = sums.filter(({ clause }) => owedPattern.test(clause))
  const named = owed.length > 0 ? owed : disputed
  return [
    ...choose('amount', named.length > 0 ? named : sums, named.length > 0),
    ...choose('monthly_wage', wages, true),
  ]
}

/** Selects the first candidate. It is certain if all candidates have one value and `named` is true. */
function choose(
  key: 'amount' | 'monthly_wage',
  candidates: { amount: number; clause: string }[],
  named: boolean,
): Figure[] {
  const [first] = candidates
  if (!first) return []
  const isOnlyValue = new Set(candidates.map(({ amount }) => amount)).size === 1
  return [{ key, value: first.amount, quote: first.clause, certain: named && isOnlyValue }]
}

function readDates(clauses: string[], today: string): Figure[] {
  const found = clauses.flatMap((clause) =>
    datesIn(clause, today)
      .filter(({ date }) => date.length === 10)
      .map(({ date }) => ({ date, clause })),
  )
  const starts = found.filter(({ clause }) => employmentPattern.test(clause))
  const candidates = found.filter(
    ({ clause }) => !dueDatePattern.test(clause) && !employmentPattern.test(clause),
  )
  const named = candidates.filter(({ clause }) => eventPattern.test(clause))
  const [best] = named.length > 0 ? named : candidates
  return [
    ...(best
      ? [toFigure('event_date', best, countDays(candidates) === 1 && named.length > 0)]
      : []),
    ...(starts[0] ? [toFigure('employment_start', starts[0], countDays(starts) === 1)] : []),
  ]
}

interface DatedClause {
  date: string
  clause: string
}

const countDays = (clauses: DatedClause[]) => new Set(clauses.map(({ date }) => date)).size

function toFigure(key: Figure['key'], { date, clause }: DatedClause, certain: boolean): Figure {
  return { key, value: date, quote: clause, certain }
}
