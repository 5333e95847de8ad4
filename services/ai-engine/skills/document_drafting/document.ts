import type { Citation } from '../_shared/citations.ts'

/** Where a statement comes from. `form` is wording of the form, which states no fact. */
export type Source =
  | { kind: 'fact'; key: string }
  | { kind: 'file'; file_id: string }
  | { kind: 'calculation'; id: string }
  | { kind: 'citation'; citation: Citation }
  | { kind: 'form' }

export const form: Source[] = [{ kind: 'form' }]

/** A run of a paragraph with tracked changes: text that stays, an insertion or a deletion. */
export interface RedlineRun {
  text: string
  change?: 'insert' | 'delete'
}

/** A part of a document. Every part names the sources of what it says. */
export type Block =
  | { type: 'heading'; text: string }
  | { type: 'paragraph'; text: string; sources: Source[]; align?: 'right' }
  | { type: 'redline'; runs: RedlineRun[]; sources: Source[] }
  | { type: 'table'; head: string[]; rows: { cells: string[]; sources: Source[] }[] }

export interface DraftDocument {
  key: string
  title: string
  kind: string
  filename: string
  blocks: Block[]
}

/** Texts of a document that state something, with their sources. */
export const listStatements = ({ blocks }: DraftDocument) =>
  blocks.flatMap((block) => {
    if (block.type === 'heading') return []
    if (block.type === 'paragraph') return [{ text: block.text, sources: block.sources }]
    // The rest of a redline is the text of the file.
    if (block.type === 'redline') {
      const inserted = block.runs.filter(({ change }) => change === 'insert')
      return [{ text: inserted.map(({ text }) => text).join(' '), sources: block.sources }]
    }
    return block.rows.map(({ cells, sources }) => ({ text: cells.join(' | '), sources }))
  })
