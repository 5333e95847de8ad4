import { invalid } from '../_kit/fault.ts'
import { type NewChunk, rejectDuplicates } from './document.ts'

/** Rejects documents with two chunks at one index, or with embeddings of other dimensions than the model's. */
export function checkChunks(
  documents: readonly { chunks?: NewChunk[] | undefined }[],
  dims: number | undefined,
) {
  documents.forEach(({ chunks = [] }, index) => {
    const pathOf = (position: number, field: string) =>
      `documents.${index}.chunks.${position}.${field}`
    rejectDuplicates(
      chunks.map(({ chunk_index }) => String(chunk_index)),
      (position) => pathOf(position, 'chunk_index'),
    )
    chunks.forEach(({ embedding }, position) => {
      if (dims === undefined || !embedding || embedding.length === dims) return
      const message = `Must have ${dims} dimensions, has ${embedding.length}.`
      throw invalid([{ path: pathOf(position, 'embedding'), message }])
    })
  })
}
