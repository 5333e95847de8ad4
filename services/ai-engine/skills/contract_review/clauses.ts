/** A paragraph of a contract. */
export interface Clause {
  /** Position in the contract, from 0. */
  index: number
  /** Number of the clause as the contract writes it; empty for a paragraph without one. */
  label: string
  text: string
  /** The text without its number. */
  body: string
}

const labelPattern =
  /^\s*(第[零〇一二三四五六七八九十百\d]+条|[（(]?[一二三四五六七八九十]+[)）、.．]|\d+(?:\.\d+)*[.、．)]?|(?:Article|Section|Clause)\s+\d+(?:\.\d+)*\.?)\s*/iu

/** Splits a contract into its paragraphs. Empty lines are dropped. */
export const splitContract = (text: string): Clause[] =>
  text
    .split(/[\n\f]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line, index) => {
      const [prefix = '', label = ''] = labelPattern.exec(line) ?? []
      return { index, label, text: line, body: line.slice(prefix.length) }
    })
