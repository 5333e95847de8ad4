import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { buildArticleIndex } from './article-index.ts'
import { learnLayWords } from './learn.ts'
import { readTraining, trainingExamples } from './training.ts'

/** `node bench/search/learn-seed.ts`: learns the lay words of the seed package again. */
const file = resolve(
  import.meta.dirname,
  '../../seed_packages/knowledge_lay_words/data/lay_words.json',
)
const training = readTraining()
if (typeof training === 'string') {
  console.error(training)
  process.exit(1)
}
const examples = trainingExamples(training)
const lines = learnLayWords(buildArticleIndex(training.articles), examples).map((each) =>
  JSON.stringify(each),
)
writeFileSync(file, `{"lay_words":[\n${lines.join(',\n')}\n]}\n`)
console.log(`${lines.length} words from ${examples.length} examples: ${file}`)
