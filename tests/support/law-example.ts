import { describe, expect, test } from 'vitest'
import { calculators } from '../../services/ai-engine/calculators/all.ts'
import type { Article, Outcome, Step } from '../../services/ai-engine/calculators/calculator.ts'
import { type Laws, loadDatabase, newestEdition } from './law/editions.ts'

/** An article, and the words of it that an example rests on. */
export type Basis = Article & { words: string }

/** An example that was derived by hand from the text of the law. */
export interface LawExample {
  calculator: string
  /** What the example is about. */
  on: string
  inputs: object
  result: object
  /** Results of the other readings. Default: not compared. */
  alternatives?: object[]
  /** Articles that the steps cite, and the words of them. */
  basis: Basis[]
  /** Articles that no step may cite. */
  without?: Article[]
}

export function calculate(id: string, inputs: object): Outcome {
  const calculator = calculators.find((each) => each.id === id)!
  return calculator.calculate(calculator.inputs.parse(inputs))
}

const keyOf = ({ law, article }: Article) => `${law} ${article}`
const citedBy = (steps: Step[]) => steps.flatMap(({ articles }) => articles.map(keyOf))

/** Checks examples: the figures, the articles of the steps, and the words of these articles in the database. */
export function checkExamples(examples: LawExample[]) {
  test.each(examples)('$calculator, $on', (example) => {
    const { result, steps, alternatives = [] } = calculate(example.calculator, example.inputs)
    expect(result).toMatchObject(example.result)
    if (example.alternatives) {
      expect(alternatives.map((each) => each.result)).toMatchObject(example.alternatives)
    }
    const cited = citedBy([...steps, ...alternatives.flatMap((each) => each.steps)])
    expect(cited).toEqual(expect.arrayContaining(example.basis.map(keyOf)))
    for (const article of example.without ?? [])
      expect(citedBy(steps)).not.toContain(keyOf(article))
    const { articles } = calculators.find(({ id }) => id === example.calculator)!
    const declared = new Set(articles.map(keyOf))
    for (const article of example.basis) expect(declared).toContain(keyOf(article))
  })

  describe('the national database', () => {
    const database = loadDatabase()
    if (typeof database === 'string') console.log(`skipped, words of the articles: ${database}`)
    test.skipIf(typeof database === 'string')('has the words that the examples rest on', () => {
      for (const { on, basis } of examples) {
        for (const { law, article, words } of basis) {
          const texts = newestEdition(database as Laws, law)?.articles.get(article) ?? []
          expect(texts.join('\n'), `${on}: ${law} ${article}`).toContain(words)
        }
      }
    })
  })
}
