import type { Calculator } from './calculator.ts'
import { applicationFee, courtFee } from './fees.ts'
import { childSupport, disability, lostIncome, trafficSplit } from './injury.ts'
import { annualLeave, doubleWage, overtime, workInjury } from './labor.ts'
import { limitation } from './limitation.ts'
import { loanInterest } from './loan-interest.ts'
import { delayedPerformance, latePayment } from './money-claims.ts'
import { deadline } from './periods.ts'
import { severance } from './severance.ts'

export const calculators: readonly Calculator[] = [
  loanInterest,
  latePayment,
  severance,
  doubleWage,
  overtime,
  annualLeave,
  workInjury,
  disability,
  lostIncome,
  trafficSplit,
  childSupport,
  courtFee,
  applicationFee,
  delayedPerformance,
  limitation,
  deadline,
]
