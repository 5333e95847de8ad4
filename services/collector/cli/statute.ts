import { parse } from 'yaml'
import * as z from 'zod'
import { repealedNames } from '../../_kit/repealed-names.ts'
import { arabic } from '../../_kit/tokenize.ts'
import { type Edition, Status } from './edition.ts'

const Day = z.preprocess(
  (value) => (value instanceof Date ? value.toISOString().slice(0, 10) : value),
  z.iso.date('Must be a date: YYYY-MM-DD.'),
)

/**
 * Front matter of a statute, in the fields of the national database (`id`, `effective_date`,
 * `publication_date`, `status`) or in those of a document. Other fields become metadata.
 */
const FrontMatter = z.looseObject({
  id: z.coerce.string().min(1).max(200).optional(),
  document_id: z.string().min(1).max(200).optional(),
  title: z.string().min(1).max(1_000).optional(),
  law: z.string().min(1).max(1_000).optional(),
  doc_type: z.string().min(1).max(100).default('statute'),
  publication_date: Day.optional(),
  effective_date: Day.optional(),
  effective_from: Day.optional(),
  effective_to: Day.optional(),
  status: Status.optional(),
  aliases: z.array(z.string().min(1).max(300)).max(100).optional(),
})

export interface Statute {
  document: { document_id: string; doc_type: string; title: string; metadata: object }
  edition: Edition
  /** Text that knowledge-service splits, or chunks. */
  content?: string
  chunks?: object[]
  articles: number
  warnings: string[]
}

const numeral = '[\\d零〇一二三四五六七八九十百千]{1,12}'
const headingMark = new RegExp(`^\\s*#{1,6}\\s*(第${numeral}(?:分编|编|章|节|条))`)
const listMark = /^\s*(?:[-*+]\s+|>\s?)/
const rule = /^\s*(?:-{3,}|\*{3,})\s*$/
const boldArticle = new RegExp(`^\\s*\\*\\*(第${numeral}条(?:之${numeral})?)\\*\\*[\\s　]*`)
const article = new RegExp(`^\\s*第(${numeral})条(之${numeral})?(?=[\\s　:：、.．【〔(（]|$)`)

/**
 * Parses a statute in Markdown. In the result each 编, 章, 节 and 条 starts a line, which is the structure that
 * knowledge-service chunks by. Throws if the front matter is invalid.
 */
export function parseStatute(path: string, text: string): Statute {
  const { front, body } = splitFrontMatter(text)
  const lines = body.replaceAll('\r\n', '\n').split('\n')
  const heading = lines.findIndex((line) => /^#\s+\S/.test(line) && !headingMark.test(line))
  const headingText = heading === -1 ? undefined : lines[heading]!.replace(/^#\s+/, '').trim()
  const { id, document_id, title, law, doc_type, status, ...fields } = front
  const { effective_date, effective_from = effective_date, effective_to, ...metadata } = fields
  const name = title ?? law ?? headingText ?? fileTitle(path)
  if (heading !== -1 && (headingText === name || (!title && !law))) lines.splice(heading, 1)
  const content = lines
    .map(stripMarkup)
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
  const { count, warnings } = checkNumbering(content)
  return {
    document: {
      document_id: document_id ?? id ?? path.replace(/\.md$/i, ''),
      doc_type,
      title: name,
      metadata,
    },
    edition: {
      title: law ?? name,
      effective_from: effective_from ?? metadata.publication_date,
      effective_to,
      status,
      repeals: repealedNames(content),
    },
    content,
    articles: count,
    warnings: content === '' ? ['The file has no text.'] : warnings,
  }
}

const fileTitle = (path: string) => path.replace(/\.md$/i, '').split('/').at(-1)!

const stripMarkup = (line: string) =>
  rule.test(line)
    ? ''
    : line
        .replace(listMark, '')
        .replace(headingMark, '$1')
        .replace(boldArticle, '$1 ')
        .replaceAll('**', '')

function splitFrontMatter(text: string) {
  const found = /^\ufeff?---\r?\n([\s\S]*?)\r?\n---\r?\n?/.exec(text)
  if (!found) {
    if (/^\ufeff?---\r?\n\s*[\w-]+:/.test(text)) throw new Error('front matter: no closing ---')
    return { front: FrontMatter.parse({}), body: text.replace(/^\ufeff/, '') }
  }
  const parsed = FrontMatter.safeParse(parse(found[1]!) ?? {})
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new Error(`front matter: ${issue!.path.join('.')}: ${issue!.message}`)
  }
  return { front: parsed.data, body: text.slice(found[0].length) }
}

/** Counts articles and warns about gaps in their numbering. */
function checkNumbering(content: string) {
  const warnings: string[] = []
  let [count, last] = [0, 0]
  for (const line of content.split('\n')) {
    const found = article.exec(line)
    if (!found) continue
    count++
    const number = arabic(found[1]!) ?? last
    if (!found[2] && last > 0 && number !== last + 1) {
      warnings.push(`第${found[1]}条 follows article ${last}.`)
    }
    last = number
  }
  return { count, warnings: count === 0 ? ['No articles found (第…条).'] : warnings.slice(0, 5) }
}
