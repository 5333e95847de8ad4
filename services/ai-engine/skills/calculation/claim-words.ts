import { type InputQuestion, type InputSource, inputs, type StatedClaim } from './plan.ts'

/** Words for claims that several causes know. */

export const compensation = /赔(?!礼)|损失|要钱|compensat|damages|money/iu
export const waivesMoney =
  /不(?:要|求|主张|要求)[^，。]{0,4}(?:钱|赔(?!礼))|no (?:money|damages|compensation)|only an apology/iu
export const refund = /退|返还|refund|money back|\breturn/iu
export const rescission = /解除|退房|退股|撤销|resci|terminat/iu

/** A claim for the amount or, if part of it was paid, for what the person states is left. */
export function lessPaid(
  name: StatedClaim['name'],
  paid: string,
  left: InputQuestion,
): StatedClaim[] {
  const hasPaid = (source: InputSource) => (source.money(paid) ?? 0) > 0
  return [
    { name, input: inputs.amount, applies: (source) => !hasPaid(source) },
    { name, input: left, applies: hasPaid },
  ]
}
