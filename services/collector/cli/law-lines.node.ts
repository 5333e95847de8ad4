import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import * as z from 'zod'
import { repealedNames } from '../../_kit/repealed-names.ts'
import { Status } from './edition.ts'
import type { Statute } from './statute.ts'

const LawLine = z.object({
  id: z.string().min(1).max(200),
  title: z.string().min(1).max(1_000),
  author: z.string().nullish(),
  published: z.iso.date().nullish(),
  effective: z.iso.date().nullish(),
  status: Status,
  group: z.string().nullish(),
  articles: z.array(
    z.object({
      article: z.string().min(1).max(60).nullable(),
      path: z.array(z.string()).default([]),
      text: z.string(),
    }),
  ),
})
type LawLine = z.output<typeof LawLine>

/** Longest chunk in characters. An article is one chunk unless it is longer. */
const maxChunkLength = 1_200

/** Reads laws from JSON lines, one edition per line, compressed or not. Holds one law at a time. */
export async function* readLawLines(file: string): AsyncGenerator<Statute> {
  const bytes = createReadStream(file)
  const text = file.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes
  // A failed read must end the loop below, and a pipe does not forward errors.
  bytes.on('error', (error) => text.destroy(error))
  let number = 0
  for await (const line of createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY })) {
    number++
    if (line.trim() !== '') yield toStatute(parseLine(line, number))
  }
}

function parseLine(line: string, number: number): LawLine {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new Error(`line ${number}: not JSON`)
  }
  const parsed = LawLine.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new Error(`line ${number}: ${issue!.path.join('.')}: ${issue!.message}`)
}

function toStatute(law: LawLine): Statute {
  const { id, title, published, effective, status, group, author, articles } = law
  const texts = articles.filter(({ text }) => text.trim() !== '')
  return {
    document: {
      document_id: id,
      doc_type: 'statute',
      title,
      metadata: {
        ...(published && { publication_date: published }),
        ...(author && { issuer: author }),
        ...(group && { group }),
      },
    },
    edition: {
      title,
      effective_from: effective ?? published ?? undefined,
      effective_to: undefined,
      status,
      repeals: texts.flatMap(({ text }) => repealedNames(text)),
    },
    chunks: toChunks(texts),
    articles: texts.filter(({ article }) => article !== null).length,
    warnings: texts.length === 0 ? ['The law has no text.'] : [],
  }
}

/** One chunk per article with its path; a longer article is split between lines. */
function toChunks(articles: LawLine['articles']) {
  const sectionIds = new Map<string, number>()
  const chunks = articles.flatMap(({ article, path, text }) => {
    const labels = [...path.map((name) => name.split(/\s/)[0]!), ...(article ? [article] : [])]
    const name = labels.join('/').slice(-280)
    const count = (sectionIds.get(name) ?? 0) + 1
    sectionIds.set(name, count)
    const section_id = count === 1 ? name : `${name} (${count})`
    const metadata = path.length > 0 ? { heading: path.join(' / ') } : {}
    const words = article ? `${article} ${withoutNextHeading(text)}` : text
    return splitLines(words).map((content) => ({
      ...(name !== '' && { section_id }),
      content,
      metadata,
    }))
  })
  return chunks.map((chunk, chunk_index) => ({ chunk_index, ...chunk }))
}

const partHeading =
  /^(?:[一二三四五六七八九十]{1,3}、|[（(][一二三四五六七八九十]{1,3}[)）])[^。；：，]{2,40}$/u

/**
 * Text of an article without the headings of the next part of an interpretation. The national database has
 * them at the end of the article before: there they would count as its last paragraph.
 */
function withoutNextHeading(text: string): string {
  const lines = text.split(/\n+/).map((line) => line.trim())
  let end = lines.length
  while (end > 1 && partHeading.test(lines[end - 1]!)) end--
  return end < lines.length && lines[end - 1]!.endsWith('。')
    ? lines.slice(0, end).join('\n')
    : text
}

function splitLines(text: string): string[] {
  const parts: string[] = []
  for (const line of text.split(/\n+/).flatMap((line) => line.match(/.{1,1200}/gsu) ?? [])) {
    const last = parts.at(-1)
    if (last !== undefined && last.length + line.length < maxChunkLength) {
      parts[parts.length - 1] = `${last}\n${line}`
    } else parts.push(line)
  }
  return parts
}
