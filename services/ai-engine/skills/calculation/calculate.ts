import * as z from 'zod'
import { Fault } from '../../../_kit/fault.ts'
import { calculators } from '../../calculators/all.ts'
import type { CaseFile } from '../_shared/case-file.ts'
import { claimableElements, fallbackClaim, selectClaims } from './claims.ts'
import type { InputQuestion, InputSource, Plan, StatedClaim } from './plan.ts'
import { plansOf } from './plans.ts'

export const Calculation = z.object({
  calculator: z.string(),
  title: z.object({ zh: z.string(), en: z.string() }),
  inputs: z.record(z.string(), z.unknown()),
  /** Facts that the inputs come from, by name. */
  facts: z.record(z.string(), z.unknown()).default({}),
  result: z.record(z.string(), z.unknown()),
  steps: z.array(z.unknown()),
  articles: z.array(z.object({ law: z.string(), article: z.string() })),
})
export const CalculatedClaim = z.object({
  name: z.string(),
  /** Name in Chinese, for documents that go to a court. Default: name. */
  name_zh: z.string().optional(),
  /** In yuan; null for a claim that is not about money. */
  amount: z.number().nullable(),
  /** Calculator, or key of the fact that states the amount. */
  source: z.string(),
  /** Elements that this claim rests on and others of the cause do not. */
  element_ids: z.array(z.string()).optional(),
})
const Skipped = z.object({ calculator: z.string(), reason: z.string() })

export const CalculationResult = z.object({
  calculations: z.array(Calculation),
  claims: z.array(CalculatedClaim),
  skipped: z.array(Skipped),
})
export type CalculationResult = z.output<typeof CalculationResult>

/** Reads the result from the state of the skill; empty without it. */
export const readCalculation = (state: unknown): CalculationResult =>
  CalculationResult.safeParse(state).data ?? { calculations: [], claims: [], skipped: [] }

/** Inputs of the plans and claims of a cause that are not known, each once. */
export function missingInputs(code: string, source: InputSource): InputQuestion[] {
  const ofPlans = plansOf(code)
    .filter((plan) => plan.applies?.(source) ?? true)
    .flatMap((plan) => plan.needs(source))
  const ofClaims = selectClaims(code, source).flatMap(({ input }) => input ?? [])
  const questions = [...ofPlans, ...ofClaims].filter(({ name }) => source.get(name) === undefined)
  return questions.filter(
    ({ name }, index) => questions.findIndex((each) => each.name === name) === index,
  )
}

/**
 * Calculates the claims of a case: first those that the facts state, then those of the plans. A plan without
 * its inputs, or that its calculator refuses, is skipped.
 */
export function calculateCase(caseFile: CaseFile, source: InputSource): CalculationResult {
  const { cause, language } = caseFile
  const done: CalculationResult = { calculations: [], claims: [], skipped: [] }
  if (!cause) return done
  const nameClaim = ({ name, elements = [] }: Pick<StatedClaim, 'name' | 'elements'>) => ({
    name: name[language],
    ...(language !== 'zh' && { name_zh: name.zh }),
    ...(elements.length > 0 && {
      element_ids: elements.map((element) => `${cause.code}.${element}`),
    }),
  })
  const add = (claim: CalculationResult['claims'][number]) => {
    done.claims.push(claim)
    source.addClaim(claim.amount ?? 0)
  }
  const addStated = (claim: StatedClaim) => {
    const { input } = claim
    const amount = input && source.money(input.name)
    if (!input) add({ ...nameClaim(claim), amount: null, source: aimKey(caseFile) })
    else if (amount) add({ ...nameClaim(claim), amount, source: source.keyOf(input.name) })
  }
  for (const claim of selectClaims(cause.code, source)) addStated(claim)
  for (const plan of plansOf(cause.code)) {
    source.startReading()
    if (plan.applies?.(source) === false) continue
    const outcome = runPlan(plan, source)
    if ('reason' in outcome) {
      done.skipped.push({ calculator: plan.calculator, reason: outcome.reason })
      continue
    }
    source.results[plan.calculator] = outcome.result
    const claims = plan.claims?.(outcome.result, source) ?? []
    done.calculations.push({ ...outcome, facts: source.listRead() })
    for (const claim of claims)
      add({ ...nameClaim(claim), amount: claim.amount, source: plan.calculator })
  }
  const fallback = fallbackClaim(cause.code, source)
  if (done.claims.length === 0 && fallback) addStated(fallback)
  return done
}

/** Elements of a cause that only some of its claims rest on. */
export const listClaimableElements = (code: string): string[] =>
  [...claimableElements(code), ...plansOf(code).flatMap(({ elements }) => elements ?? [])].map(
    (element) => `${code}.${element}`,
  )

const aimKey = ({ fields }: CaseFile) => (fields.aim ? 'intake.aim' : 'intake.what_happened')

function runPlan(
  plan: Plan,
  source: InputSource,
): Omit<z.output<typeof Calculation>, 'facts'> | { reason: string } {
  const calculator = calculators.find(({ id }) => id === plan.calculator)!
  const missing = plan.needs(source).find(({ name }) => source.get(name) == null)
  // No due day was agreed: the loan is calculated without default.
  if (missing && missing.name !== 'private_lending.due_date')
    return {
      reason: `${source.isUnconfirmed(missing.name) ? 'unconfirmed' : 'missing'}: ${missing.name}`,
    }
  const attempt = (
    changes: Record<string, unknown>,
    isLast: boolean,
  ): ReturnType<typeof runPlan> => {
    const inputs = { ...plan.inputs(source), ...changes }
    const parsed = calculator.inputs.safeParse(inputs)
    if (!parsed.success) return { reason: `invalid: ${parsed.error.issues[0]?.path.join('.')}` }
    try {
      const { result, steps } = calculator.calculate(parsed.data)
      const { title, articles } = calculator
      return { calculator: calculator.id, title, inputs, result, steps, articles }
    } catch (thrown) {
      const through = isLast ? undefined : tableEnd(thrown)
      // A rate table is never extrapolated: the calculation ends with it, and its input `to` says so.
      return through === undefined
        ? { reason: faultReason(thrown) }
        : attempt({ to: through }, true)
    }
  }
  return attempt({}, false)
}

const tableEnd = (thrown: unknown): string | undefined =>
  thrown instanceof Fault && thrown.kind === 'RATE_TABLE_ENDS'
    ? z.object({ through: z.iso.date() }).safeParse(thrown.data).data?.through
    : undefined

function faultReason(thrown: unknown): string {
  if (thrown instanceof Fault) return thrown.message
  throw thrown
}
