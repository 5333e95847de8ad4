import * as z from 'zod'
import { json, numberArray, type Sql } from '../../_kit/sql/sql.ts'
import { entryLength } from './postings.ts'

const Document = z.object({ document_id: z.string(), law_terms: z.array(z.int()), cited: z.int() })
const Counted = z.object({ term: z.int(), cited: z.int() })

/** Counts how many chunks of a base cite each of its laws by name: the index knows. */
export async function countCitations(sql: Sql, base: number): Promise<void> {
  const documents = await sql.rows(Document)`
    select document_id, to_jsonb(law_terms) as law_terms, cited from knowledge.documents where base = ${base}`
  const terms = [...new Set(documents.flatMap(({ law_terms }) => law_terms))]
  const counted = await sql.rows(Counted)`
    select term, sum(octet_length(entries)) / ${entryLength} as cited from knowledge.postings
    where base = ${base} and term = any(${numberArray(terms, 'int4')}) group by term`
  const byTerm = new Map(counted.map(({ term, cited }) => [term, cited]))
  const changed = documents.flatMap(({ document_id, law_terms, cited }) => {
    const now = law_terms.reduce((sum, term) => sum + (byTerm.get(term) ?? 0), 0)
    return now === cited ? [] : [{ document_id, cited: now }]
  })
  await sql`
    update knowledge.documents document set cited = counted.cited
    from jsonb_to_recordset(${json(changed)}) as counted (document_id text, cited int)
    where document.base = ${base} and document.document_id = counted.document_id`
}
