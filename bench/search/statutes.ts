import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'

export interface Article {
  id: string
  law: string
  article: string
  /** True for an article of a judicial interpretation. */
  interpretation?: boolean
  /** Headings above the article. */
  heading?: string
  text: string
}

export interface TestQuestion {
  query: string
  relevant: string[]
}

export interface Corpus {
  articles: Article[]
  questions: TestQuestion[]
}

/** Reads statutes and questions of laypeople from LEGAL_SUITE_DATA. Returns the reason if they are missing. */
export function readStatutes(): Corpus | string {
  const directory = resolve(process.env.LEGAL_SUITE_DATA ?? '../shared/data')
  const [statutes, questions] = ['statutes.jsonl.gz', 'queries-dev.jsonl'].map((file) =>
    resolve(directory, file),
  )
  if (!existsSync(statutes!) || !existsSync(questions!)) {
    return 'no statutes: LEGAL_SUITE_DATA names no directory with statutes.jsonl.gz and queries-dev.jsonl'
  }
  return {
    articles: lines<Article>(gunzipSync(readFileSync(statutes!)).toString()),
    questions: lines<TestQuestion>(readFileSync(questions!, 'utf8')),
  }
}

const lines = <T>(text: string): T[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
