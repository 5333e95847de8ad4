import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { buildArticleIndex } from './article-index.ts'
import { readLawsInForce } from './laws-in-force.ts'
import { learnLayWords } from './learn.ts'
import { readStatutes } from './statutes.ts'

/** `node bench/search/learn-seed.ts`: learns the lay words of the seed package again. */
const file = resolve(
  import.meta.dirname,
  '../../seed_packages/knowledge_lay_words/data/lay_words.json',
)
const corpus = readStatutes()
if (typeof corpus === 'string') {
  console.error(corpus)
  process.exit(1)
}
const isInForce = readLawsInForce()
if (typeof isInForce === 'string') {
  console.error(isInForce)
  process.exit(1)
}
const index = buildArticleIndex(corpus.articles)
const lines = learnLayWords(index, corpus.questions, { isInForce }).map((each) =>
  JSON.stringify(each),
)
writeFileSync(file, `{"lay_words":[\n${lines.join(',\n')}\n]}\n`)
console.log(`${lines.length} words from ${corpus.questions.length} questions: ${file}`)
