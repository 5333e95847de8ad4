import { readFileSync } from 'node:fs'
import { type Cited, citedIn } from './cited.ts'
import { citedInCode } from './code.ts'
import { figuresIn, listStatements } from './figures.ts'
import { filesBelow, readSeeds } from './seeds.ts'

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
  const figures = [...figuresIn(listStatements(record).join('\n'))]
  return [
    ...bases.map(({ law, ...rest }) => ({ where, laws: [law], ...rest })),
    ...collectStrings(record).flatMap((text) => citedIn(text, where, context)),
  ].map((each) => ({ ...each, figures }))
}

const digestLine = /^(第[零一二三四五六七八九十百千]+条)（要旨）(.*)$/u

/** Article and words of a line of a digest, or null. */
export function parseDigestLine(line: string): { article: string; words: string } | null {
  const [, article, words] = digestLine.exec(line) ?? []
  return article ? { article, words: words! } : null
}

/** Citations of a Markdown text; one that digests a law names its articles at the head of lines. */
export function citedInMarkdown(text: string, where: string, law: string | undefined): Cited[] {
  const context = law ? [law] : []
  const heads: Cited[] = []
  const rest = text.split('\n').map((line) => {
    const digest = law ? parseDigestLine(line) : null
    if (!digest) return line
    const figures = [...figuresIn(digest.words)]
    heads.push({ where, laws: [law!], article: digest.article, figures })
    return digest.words
  })
  return [...heads, ...citedIn(rest.join('\n'), where, context)]
}

/** Rules and texts of the engine with its skills and calculators, and templates of documents. */
const ownTexts = /^services\/(?:ai-engine\/|.*\/templates\/).*(?<!\.test)\.(?:ts|md|json)$/
const generated = /\/skills\/bundled\.ts$/

/** Citations of all seeds, rules, skill texts and document templates of the project. */
export function citedInProject(): Cited[] {
  const { records, documents } = readSeeds()
  const texts = filesBelow('services', ownTexts).filter((path) => !generated.test(path))
  return [
    ...records.flatMap(({ where, record }) => citedInRecord(record, where)),
    ...documents.flatMap(({ path, text, law }) => citedInMarkdown(text, path, law)),
    ...texts.flatMap((path) => citedInCode(readFileSync(path, 'utf8'), path)),
  ]
}
