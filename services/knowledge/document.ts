import * as z from 'zod'
import { invalid } from '../_kit/fault.ts'
import { ExternalId, JsonObject, Time } from '../_kit/fields.ts'
import { KbId } from './base.ts'

export const Content = z.string().min(1).max(200_000)
export const SectionId = z.string().min(1).max(300)
export const Title = z.string().min(1).max(1_000)
export const DocType = z.string().min(1).max(100)

/** A date. PostgreSQL has no year 0. */
export const Day = z.iso.date().regex(/^(?!0000)/, 'Year 0 does not exist.')

export const NewChunk = z.object({
  chunk_index: z.int().min(0).max(1_000_000),
  section_id: SectionId.nullish(),
  content: Content,
  metadata: JsonObject.default({}),
  embedding: z.array(z.number()).min(1).max(16_000).optional(),
})
export type NewChunk = z.output<typeof NewChunk>

/** A document without its chunks. */
export const DocumentFields = z.object({
  document_id: ExternalId,
  file_id: ExternalId.nullish(),
  doc_type: DocType,
  title: Title,
  metadata: JsonObject.default({}).describe(
    'Members used by search: `law` ({title, effective_from, effective_to, status}: the edition of a law that the text is), `effective_from` and `effective_to` without `law` (dates; the second is the first day out of force), `aliases` (other names).',
  ),
})

export const NewDocument = DocumentFields.extend({
  kb_id: KbId,
  chunks: z.array(NewChunk).max(20_000),
})
export type NewDocument = z.output<typeof NewDocument>

export const Document = z
  .object({
    kb_id: z.string(),
    document_id: z.string(),
    file_id: z.string().nullable(),
    doc_type: z.string(),
    title: z.string(),
    metadata: JsonObject,
    created_at: Time,
    updated_at: Time,
  })
  .meta({ id: 'KnowledgeDocument' })

export function rejectDuplicates(names: readonly string[], path: (index: number) => string) {
  const seen = new Set<string>()
  names.forEach((name, index) => {
    if (seen.has(name)) throw invalid([{ path: path(index), message: 'Duplicate key.' }])
    seen.add(name)
  })
}
