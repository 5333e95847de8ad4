import type { Citation } from '../_shared/citations.ts'
import type { Language } from '../_shared/language.ts'

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

/** A row of a table: cells, or the title of a section across all columns. */
export type TableRow = { section: string } | { cells: string[]; sources: Source[] }

/** A table. `widths` are shares of the text width; `labels` marks the first column as labels of a form. */
export interface TableBlock {
  type: 'table'
  widths: number[]
  head?: string[]
  labels?: boolean
  rows: TableRow[]
}

/** A part of a document. Every part that states something names the sources of what it says. */
export type Block =
  | { type: 'heading'; text: string }
  | {
      type: 'paragraph'
      text: string
      sources: Source[]
      align?: 'center' | 'right'
      /** Whether the paragraph starts at the margin, such as an addressee. Default: false. */
      flush?: boolean
    }
  | { type: 'redline'; runs: RedlineRun[]; isTitle?: boolean; sources: Source[] }
  | { type: 'signature'; lines: string[]; sources: Source[] }
  | TableBlock

export interface DraftDocument {
  key: string
  title: string
  kind: string
  filename: string
  /** Language of the form: typography and page numbers follow it. */
  language: Language
  /** Whether the content has its own title, such as a contract. Default: the title is printed. */
  ownTitle?: boolean
  /** Line below the title. */
  subtitle?: string
  blocks: Block[]
}

/** Texts of a document that state something, with their sources. */
export const listStatements = ({ blocks }: DraftDocument) =>
  blocks.flatMap((block): { text: string; sources: Source[] }[] => {
    if (block.type === 'heading') return []
    if (block.type === 'paragraph') return [{ text: block.text, sources: block.sources }]
    if (block.type === 'signature') return [{ text: block.lines.join(' '), sources: block.sources }]
    // The rest of a redline is the text of the file.
    if (block.type === 'redline') {
      const inserted = block.runs.filter(({ change }) => change === 'insert')
      return [{ text: inserted.map(({ text }) => text).join(' '), sources: block.sources }]
    }
    return block.rows.flatMap((row) =>
      'section' in row ? [] : [{ text: row.cells.join(' | '), sources: row.sources }],
    )
  })
