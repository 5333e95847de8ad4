import { writeFileSync } from 'node:fs'
import { editionQuestions } from './support/law/edition-questions.ts'
import { editionsFile, nationalFile, readLawLines } from './support/law/law-lines.ts'

/** Writes tests/fixtures/editions.jsonl: the articles of the questions about two editions. */
const laws = readLawLines(nationalFile).map((law) => ({
  ...law,
  articles: law.articles.filter(({ text }) => text.length <= 150),
}))
const answers = editionQuestions(laws, 100, 4).flatMap((question) => question.answers)
const contents = new Set(answers.map(({ content }) => content))
const ids = new Set(answers.map(({ edition }) => edition))
const excerpt = laws
  .filter(({ id }) => ids.has(id))
  .map(({ articles, ...law }) => ({
    ...law,
    articles: articles.filter(({ article, text }) => contents.has(`${article} ${text}`)),
  }))
writeFileSync(editionsFile, `${excerpt.map((law) => JSON.stringify(law)).join('\n')}\n`)
