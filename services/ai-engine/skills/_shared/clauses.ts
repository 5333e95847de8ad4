/** Splits a text into clauses. A decimal point does not end a clause. */
export const splitClauses = (text: string): string[] =>
  text
    .split(/[，。；！？\n;!?]|[,.](?!\d)/)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '')

export const splitSentences = (text: string): string[] =>
  text
    .split(/(?<=[。；！？!?\n])|(?<=[.;])\s/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
