import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cite } from '../../../services/ai-engine/calculators/laws.ts'
import { type Cited, citedIn } from './cited.ts'

/** Members that hold a citation or the title of a law themselves, so that they are not searched. */
const notText = new Set([
  'law',
  'article',
  'quote',
  'title',
  'laws',
  'interpretations',
  'section_id',
])

/** Every `legal_basis` below a value. */
export function collectLegalBases(
  value: unknown,
): { law: string; article: string; quote?: string }[] {
  if (Array.isArray(value)) return value.flatMap(collectLegalBases)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    name === 'legal_basis'
      ? (member as ReturnType<typeof collectLegalBases>)
      : collectLegalBases(member),
  )
}

function collectStrings(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(collectStrings)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    notText.has(name) ? [] : collectStrings(member),
  )
}

/** Citations of one record of a seed: those of its members and those in its words. */
export function citedInRecord(record: unknown, where: string): Cited[] {
  const bases = collectLegalBases(record)
  const context = [...new Set(bases.map(({ law }) => law))]
  return [
    ...bases.map(({ law, ...rest }) => ({ where, laws: [law], ...rest })),
    ...collectStrings(record).flatMap((text) => citedIn(text, where, context)),
  ]
}

const digestLine = /^(第[零一二三四五六七八九十百千]+条)（要旨）(.*)$/u

/** Citations of a Markdown text; one that digests a law names its articles at the head of lines. */
export function citedInMarkdown(text: string, where: string, law: string | undefined): Cited[] {
  const context = law ? [law] : []
  const heads: Cited[] = []
  const rest = text.split('\n').map((line) => {
    const [, article, words] = (law && digestLine.exec(line)) || []
    if (!article) return line
    heads.push({ where, laws: [law!], article })
    return words!
  })
  return [...heads, ...citedIn(rest.join('\n'), where, context)]
}

/** Paths of the files below a directory, in order. */
const filesBelow = (directory: string, pattern: RegExp) =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => pattern.test(path))
    .sort()

/** Rules and texts of skills, and the templates of documents wherever a service keeps them. */
const ownTexts = /^services\/(?:ai-engine\/skills\/|.*\/templates\/).*(?<!\.test)\.(?:ts|md|json)$/
const generated = /\/skills\/bundled\.ts$/
const seeds = /^seed_packages\/(?!knowledge_lay_words\/)[^/]+\/data\//

const citeCall = /\bcite\(\s*'(\w+)',([^()]*)\)/g

/** Citations of the calculators, which name their law by a key. */
const citedInCalculators = (): Cited[] =>
  filesBelow('services/ai-engine/calculators', /(?<!\.test)\.ts$/).flatMap((where) =>
    [...readFileSync(where, 'utf8').matchAll(citeCall)].flatMap(([, key, list]) => {
      const articles = [...list!.matchAll(/'(第[^']+条)'/g)].map(([, article]) => article!)
      return cite(key as Parameters<typeof cite>[0], ...articles).map(({ law, article }) => ({
        where,
        laws: [law],
        article,
      }))
    }),
  )

/** Citations of all seeds, rules, skill texts and document templates of the project. */
export function citedInProject(): Cited[] {
  const files = filesBelow('seed_packages', /\.(?:json|md)$/).filter((path) => seeds.test(path))
  const texts = filesBelow('services', ownTexts).filter((path) => !generated.test(path))
  const lawByDocument = new Map<string, string | undefined>()
  const cited = files
    .filter((path) => path.endsWith('.json'))
    .flatMap((path) => {
      const value = JSON.parse(readFileSync(path, 'utf8'))
      for (const { content_file, metadata } of value.documents ?? []) {
        const root = path.slice(0, path.indexOf('/data/'))
        lawByDocument.set(content_file.replace(/^\$\{PACKAGE_DIR\}/, root), metadata.law)
      }
      const records: any[] = Array.isArray(value) ? value : [value]
      return records.flatMap((record) => {
        const name = record.element_id ?? record.item_id ?? record.code ?? ''
        return citedInRecord(record, `${path} ${name}`.trim())
      })
    })
  const markdown = files
    .filter((path) => path.endsWith('.md'))
    .flatMap((path) => citedInMarkdown(readFileSync(path, 'utf8'), path, lawByDocument.get(path)))
  const own = texts.flatMap((path) => citedIn(readFileSync(path, 'utf8'), path, []))
  return [...cited, ...markdown, ...own, ...citedInCalculators()]
}
