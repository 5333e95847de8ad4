import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** An edition of a law as the data of the national database has it. */
export interface LawLine {
  id: string
  title: string
  author?: string
  published: string
  effective: string
  status: string
  group?: string | null
  articles: { article: string | null; path: string[]; text: string }[]
}

/** Excerpt of the national database with two editions of each law. */
export const editionsFile = resolve('tests/fixtures/editions.jsonl')

export const nationalFile = resolve(
  process.env.LEGAL_SUITE_DATA ?? '../shared/data',
  'laws.jsonl.gz',
)

export const hasNationalData = () => existsSync(nationalFile)

export function readLawLines(file: string): LawLine[] {
  const bytes = readFileSync(file)
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}
