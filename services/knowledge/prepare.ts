import { canonicalJson, sha256Hex } from '../_kit/hash.ts'
import type { NewChunk, NewDocument } from './document.ts'
import { type DeclaredEdition, dayIn, declaredEdition } from './law/edition.ts'
import { articleKey, lawKey, lawKeys } from './law/numerals.ts'
import { repealedLaws } from './law/repeals.ts'

/** A document with hashes and derived fields, computed before the transaction begins. */
export interface PreparedDocument extends Omit<NewDocument, 'kb_id' | 'chunks'> {
  chunks: PreparedChunk[]
  sections: readonly unknown[]
  lawKeys: string[]
  /** Null if the document is no text of a law. */
  edition: DeclaredEdition | null
  /** Key of the law that the document is an edition of. */
  law: string | null
  from: string | null
  to: string | null
  /** Keys of the laws that the text repeals. */
  repeals: string[]
  hash: string
}

export interface PreparedChunk extends NewChunk {
  hash: string
  article: string | null
  from: string | null
  /** First day out of force. */
  to: string | null
}

export async function prepareDocument(
  document: Omit<NewDocument, 'kb_id'>,
  sections: readonly unknown[] = [],
): Promise<PreparedDocument> {
  const { title, metadata } = document
  const aliases = Array.isArray(metadata.aliases) ? metadata.aliases : []
  const edition = declaredEdition(document)
  const from = edition?.from ?? dayIn(metadata.effective_from)
  const to = edition?.to ?? dayIn(metadata.effective_to)
  const chunks = await Promise.all(
    document.chunks.map(async (chunk) => ({
      ...chunk,
      hash: await sha256Hex(chunk.content),
      article: detectArticle(chunk),
      from: dayIn(chunk.metadata.effective_from) ?? from,
      to: dayIn(chunk.metadata.effective_to) ?? to,
    })),
  )
  return {
    ...document,
    chunks,
    sections,
    ...{ edition, from, to },
    law: edition ? lawKey(edition.title) : null,
    repeals: edition ? repealedLaws(document.chunks.map(({ content }) => content)) : [],
    lawKeys: [
      ...new Set(
        [edition?.title ?? title, title, ...aliases].flatMap((name) =>
          typeof name === 'string' ? lawKeys(name) : [],
        ),
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
