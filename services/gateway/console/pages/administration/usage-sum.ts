/** Tokens of model calls. */
export interface UsageSum {
  calls: number
  input_tokens: number
  output_tokens: number
  cached_tokens: number
}

export type UsageDay = UsageSum & { day: string }

export const sumTokens = ({ input_tokens, output_tokens }: UsageSum) => input_tokens + output_tokens
