import { canonicalJson, sha256Hex } from '../_kit/hash.ts'
import { Day, type NewChunk, type NewDocument } from './document.ts'
import { articleKey, lawKey } from './law/numerals.ts'

/** A document with hashes and derived fields, computed before the transaction begins. */
export interface PreparedDocument extends Omit<NewDocument, 'kb_id' | 'chunks'> {
  chunks: PreparedChunk[]
  sections: readonly unknown[]
  lawKeys: string[]
  hash: string
}

export interface PreparedChunk extends NewChunk {
  hash: string
  article: string | null
  from: string | null
  to: string | null
}

export async function prepareDocument(
  document: Omit<NewDocument, 'kb_id'>,
  sections: readonly unknown[] = [],
): Promise<PreparedDocument> {
  const { title, metadata } = document
  const aliases = Array.isArray(metadata.aliases) ? metadata.aliases : []
  const chunks = await Promise.all(
    document.chunks.map(async (chunk) => ({
      ...chunk,
      hash: await sha256Hex(chunk.content),
      article: detectArticle(chunk),
      from: dateIn('effective_from', chunk.metadata, metadata),
      to: dateIn('effective_to', chunk.metadata, metadata),
    })),
  )
  return {
    ...document,
    chunks,
    sections,
    lawKeys: [
      ...new Set(
        [title, ...aliases].flatMap((name) => (typeof name === 'string' ? [lawKey(name)] : [])),
      ),
    ],
    // The hashes stand for the contents, so that each content is hashed once.
    hash: await sha256Hex(
      canonicalJson({ ...document, chunks: chunks.map(({ content: _, ...chunk }) => chunk) }),
    ),
  }
}

/** Article number of a chunk, from its metadata, its section or the start of its text. */
function detectArticle({ metadata, section_id, content }: NewChunk): string | null {
  const { article } = metadata
  if (typeof article === 'string' || typeof article === 'number') {
    const key = articleKey(String(article))
    if (key) return key
  }
  const last = section_id?.split('/').at(-1)
  const bySection = last && !/^\d/.test(last) ? articleKey(last) : null
  return bySection ?? (/^\s*(第|art)/i.test(content) ? articleKey(content.slice(0, 60)) : null)
}

function dateIn(member: string, ...metadata: Record<string, unknown>[]): string | null {
  for (const each of metadata) {
    const value = each[member]
    const date = typeof value === 'string' ? value.slice(0, 10) : ''
    if (Day.safeParse(date).success) return date
  }
  return null
}
