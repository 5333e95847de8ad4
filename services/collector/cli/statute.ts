import { parse } from 'yaml'
import * as z from 'zod'
import { arabic } from '../../_kit/tokenize.ts'

const Day = z.preprocess(
  (value) => (value instanceof Date ? value.toISOString().slice(0, 10) : value),
  z.iso.date('Must be a date: YYYY-MM-DD.'),
)

/** Front matter of a statute. Other fields become metadata of the document. */
const FrontMatter = z.looseObject({
  document_id: z.string().min(1).max(200).optional(),
  title: z.string().min(1).max(1_000).optional(),
  law: z.string().min(1).max(1_000).optional(),
  doc_type: z.string().min(1).max(100).default('statute'),
  effective_from: Day.optional(),
  effective_to: Day.optional(),
  aliases: z.array(z.string().min(1).max(300)).max(100).optional(),
})

export interface Statute {
  document: { document_id: string; doc_type: string; title: string; metadata: object }
  content: string
  articles: number
  warnings: string[]
}

const numeral = '[\\d零〇一二三四五六七八九十百千]{1,12}'
const headingMark = new RegExp(`^\\s*#{1,6}\\s*(第${numeral}(?:分编|编|章|节|条))`)
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
  const { document_id, title, law, doc_type, ...metadata } = front
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
      document_id: document_id ?? path.replace(/\.md$/i, ''),
      doc_type,
      title: name,
      metadata: { law: law ?? name, ...metadata },
    },
    content,
    articles: count,
    warnings: content === '' ? ['The file has no text.'] : warnings,
  }
}

const fileTitle = (path: string) => path.replace(/\.md$/i, '').split('/').at(-1)!

const stripMarkup = (line: string) => line.replace(headingMark, '$1').replace(boldArticle, '$1 ')

function splitFrontMatter(text: string) {
  const found = /^\ufeff?---\r?\n([\s\S]*?)\r?\n---\r?\n?/.exec(text)
  if (!found) return { front: FrontMatter.parse({}), body: text.replace(/^\ufeff/, '') }
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
