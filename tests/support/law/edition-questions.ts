import type { LawLine } from './law-lines.ts'

/** A question whose answer differs between two editions of a law. */
export interface EditionQuestion {
  query: string
  title: string
  /** The article of each edition, with a day on which the edition is in force. */
  answers: { day: string; edition: string; content: string }[]
}

const minClauseLength = 8
const maxQueryLength = 80
/** Least length of the common clauses, and their least share of the longer text: it is the same rule. */
const minCommonLength = 20
const minCommonShare = 0.5

/**
 * Generates questions from the last two editions of laws in force: an article has the same number in both and
 * differs, and the question consists of the clauses that both texts have.
 */
export function editionQuestions(
  laws: readonly LawLine[],
  count: number,
  perLaw: number,
): EditionQuestion[] {
  const byTitle = Map.groupBy(laws, ({ title }) => title)
  const questions: EditionQuestion[] = []
  for (const title of [...byTitle.keys()].sort()) {
    const [older, newer] = byTitle
      .get(title)!
      .toSorted((one, other) => (one.effective < other.effective ? -1 : 1))
      .slice(-2)
    if (!older || newer?.status !== 'in force' || newer.effective === older.effective) continue
    questions.push(...questionsOfPair(older, newer).slice(0, perLaw))
    if (questions.length >= count) break
  }
  return questions.slice(0, count)
}

function questionsOfPair(older: LawLine, newer: LawLine): EditionQuestion[] {
  const texts = new Map(newer.articles.map(({ article, text }) => [article, text]))
  const days = [older.effective, newer.effective]
  return older.articles.flatMap(({ article, text }) => {
    const next = article === null ? undefined : texts.get(article)
    if (!next || next === text || Math.max(text.length, next.length) > 400) return []
    const common = clausesOf(text).filter((clause) => next.includes(clause))
    const commonLength = common.join('').length
    const share = commonLength / Math.max(text.length, next.length)
    if (commonLength < minCommonLength || share < minCommonShare) return []
    const query = `${older.title.replace('中华人民共和国', '')} ${common.join('，')}`
    const answers = [text, next].map((content, index) => ({
      day: days[index]!,
      edition: [older, newer][index]!.id,
      content: `${article} ${content}`,
    }))
    return [{ query: query.slice(0, maxQueryLength), title: older.title, answers }]
  })
}

const clausesOf = (text: string) =>
  text.split(/[，。；：、\n]/).filter((clause) => clause.length >= minClauseLength)
