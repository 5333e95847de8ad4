import type { Condition } from '../../cause-tools.ts'

/**
 * Whether the answers of the person meet all conditions. Undefined if none of them is answered otherwise and one is
 * not answered.
 */
export function meetsConditions(
  conditions: Condition[],
  facts: { key: string; value: unknown }[],
): boolean | undefined {
  const met = conditions.map((condition) => {
    const key = condition.field_key.replace(/^intake_collection\./, 'intake.')
    const fact = facts.find((each) => each.key === key)
    return fact && meets(condition, fact.value)
  })
  if (met.includes(false)) return false
  return met.includes(undefined) ? undefined : true
}

function meets({ values, from }: Condition, value: unknown): boolean {
  if (from !== undefined) return typeof value === 'string' && value >= from
  const answers = Array.isArray(value) ? value : [value]
  return answers.some((answer) => (values ? values.includes(answer) : affirms(answer)))
}

/** A denial, such as `none` or 没有, states nothing. */
export const affirms = (answer: unknown): boolean =>
  answer != null &&
  answer !== false &&
  answer !== 0 &&
  !(typeof answer === 'string' && denial.test(answer.trim()))
const denial =
  /^(?:|无|没有?|否|不是|不知道|不清楚|暂无|都没有|none|no|nothing|n\/a|unknown)[。.！!]?$/iu
