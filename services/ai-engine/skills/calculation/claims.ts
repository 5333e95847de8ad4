import { waivesMoney } from './claim-words.ts'
import { contractClaims } from './contract-claims.ts'
import { otherClaims } from './other-claims.ts'
import { type InputSource, inputs, type StatedClaim } from './plan.ts'
import { wishesIn } from './wishes.ts'

const sumInDispute: StatedClaim = {
  name: { zh: '支付争议款项', en: 'Payment of the sum in dispute' },
  input: inputs.amount,
}

const claimsByCause = { ...contractClaims, ...otherClaims }

/** Causes whose claims all come from calculators; the sum in dispute is claimed if these give none. */
const calculated = new Set(['private_lending', 'sale_contract', 'work_injury'])

/** What the person asks for and what happened, in their words; without an intake, what they wrote. */
export function readAim(source: InputSource): string {
  const told = [source.get('aim'), source.get('what_happened')].filter((text) => text != null)
  return (told.length > 0 ? told : source.texts).join('。')
}

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
  if (aim.trim() === '') return sumInDispute
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
