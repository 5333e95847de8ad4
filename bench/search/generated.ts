import { makeRandom, type Random } from '../support/random.ts'
import type { Article, Corpus, TestQuestion } from './statutes.ts'

const articlesALaw = 40
const characters = Array.from({ length: 2_500 }, (_, index) => String.fromCharCode(0x4e00 + index))

/** Generates laws of random words with Zipf frequencies, and questions that quote parts of an article. */
export function generateCorpus(articles: number, questions: number): Corpus {
  const random = makeRandom(7)
  const vocabulary = Array.from({ length: 8_000 }, () =>
    Array.from({ length: random.between(2, 3) }, () => random.zipf(characters)).join(''),
  )
  const generated = Array.from({ length: articles }, (_, index) =>
    article(random, vocabulary, index),
  )
  return {
    articles: generated,
    questions: Array.from({ length: questions }, () => question(random, vocabulary, generated)),
  }
}

function article(random: Random, vocabulary: readonly string[], index: number): Article {
  const law = Math.floor(index / articlesALaw)
  const number = `第${1 + (index % articlesALaw)}条`
  const clauses = Array.from({ length: random.between(2, 9) }, () =>
    Array.from({ length: random.between(3, 9) }, () => random.zipf(vocabulary)).join(''),
  )
  return {
    id: String(index),
    law: `${vocabulary[law % vocabulary.length]}${law}法`,
    article: number,
    text: `${number} ${clauses.join('，')}。`,
  }
}

/** Generates a question: parts of an article between random words. */
function question(
  random: Random,
  vocabulary: readonly string[],
  articles: Article[],
): TestQuestion {
  const { id, text } = random.pick(articles)
  const phrases = Array.from({ length: 4 }, () => {
    const from = random.integerBelow(text.length - 4)
    return text.slice(from, from + 4)
  })
  const beside = Array.from({ length: 4 }, () => random.zipf(vocabulary))
  return { query: [...phrases, ...beside].join(''), relevant: [id] }
}
