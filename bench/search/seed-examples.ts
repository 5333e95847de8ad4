import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { citingSentences } from './citing-sentences.ts'
import { articleId } from './laws-in-force.ts'
import type { TestQuestion } from './statutes.ts'

const packages = resolve(import.meta.dirname, '../../seed_packages')
const structured = join(packages, 'knowledge_structured_seeds/data')
const resources = join(packages, 'knowledge_system_resources/data')

/**
 * Reads the texts of the seed packages that state their legal basis: elements, their questions and sample
 * facts, defences, risks, and sentences of the resources that cite articles.
 */
export function readSeedExamples(isInForce: (id: string) => boolean): TestQuestion[] {
  const records = ['litigation', 'profiles'].flatMap((folder) =>
    readFiles(join(structured, folder), '.json').map((text): unknown => JSON.parse(text)),
  )
  const documents = readdirSync(resources, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .flatMap((folder) => readFiles(join(resources, folder), '.md'))
  return [
    ...records.flatMap((record) => recordExamples(record, isInForce)),
    ...documents.flatMap((text) => citingSentences(text, isInForce)),
  ]
}

const readFiles = (folder: string, extension: string) =>
  readdirSync(folder)
    .filter((file) => file.endsWith(extension))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8'))

interface RecordWithBasis {
  name?: string
  description?: string
  questions?: { question: string }[]
  cases?: { facts: string }[]
  legal_basis?: { law: string; article: string }[]
}

/** Texts of every member with a `legal_basis`, with the articles of that basis. */
function recordExamples(value: unknown, isInForce: (id: string) => boolean): TestQuestion[] {
  if (Array.isArray(value)) return value.flatMap((each) => recordExamples(each, isInForce))
  if (typeof value !== 'object' || value === null) return []
  const { name, description, questions = [], cases = [], legal_basis } = value as RecordWithBasis
  const below = Object.values(value).flatMap((member) => recordExamples(member, isInForce))
  if (!Array.isArray(legal_basis)) return below
  const relevant = [
    ...new Set(legal_basis.map(({ law, article }) => articleId(law, article)).filter(isInForce)),
  ]
  if (relevant.length === 0) return below
  const texts = [
    `${name ?? ''}。${description ?? ''}`,
    questions.map(({ question }) => question).join(''),
    ...cases.map(({ facts }) => facts),
  ]
  return [
    ...texts.filter((text) => text.length > 5).map((query) => ({ query, relevant })),
    ...below,
  ]
}
