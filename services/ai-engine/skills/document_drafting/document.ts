import type { Citation } from '../_shared/citations.ts'

/** Where a statement comes from. `form` is wording of the form, which states no fact. */
export type Source =
  | { kind: 'fact'; key: string }
  | { kind: 'file'; file_id: string }
  | { kind: 'calculation'; id: string }
  | { kind: 'citation'; citation: Citation }
  | { kind: 'form' }

export const form: Source[] = [{ kind: 'form' }]

/** A part of a document. Every part names the sources of what it says. */
export type Block =
  | { type: 'heading'; text: string }
  | { type: 'paragraph'; text: string; sources: Source[]; align?: 'right' }
  | { type: 'table'; head: string[]; rows: { cells: string[]; sources: Source[] }[] }

export interface DraftDocument {
  key: string
  title: string
  kind: string
  filename: string
  blocks: Block[]
}

/** Texts of a document that state something, with their sources. */
export const statementsOf = ({ blocks }: DraftDocument) =>
  blocks.flatMap((block) => {
    if (block.type === 'heading') return []
    if (block.type === 'paragraph') return [{ text: block.text, sources: block.sources }]
    return block.rows.map(({ cells, sources }) => ({ text: cells.join(' | '), sources }))
  })
