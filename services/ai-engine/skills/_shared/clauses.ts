/** A text as its clauses: what stands between two marks. A point within a number is none. */
export const clausesOf = (text: string): string[] =>
  text
    .split(/[，。；！？\n;!?]|[,.](?!\d)/)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '')

export const sentencesOf = (text: string): string[] =>
  text
    .split(/(?<=[。；！？!?\n])|(?<=[.;])\s/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
