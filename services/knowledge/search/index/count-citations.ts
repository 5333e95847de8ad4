import * as z from 'zod'
import { json, numberArray, type Sql } from '../../../_kit/sql/sql.ts'
import { postingLength } from './posting.ts'

const LawRow = z.object({
  document_id: z.string(),
  law_terms: z.array(z.int()),
  citation_count: z.int(),
})
const CitationCountRow = z.object({ term: z.int(), citing: z.int() })

/** Counts the chunks of a base that cite each of its laws by name, from the posting lists. */
export async function countCitations(sql: Sql, base: number): Promise<void> {
  const documents = await sql.rows(LawRow)`
    select document_id, to_jsonb(law_terms) as law_terms, citation_count
    from knowledge.documents where base = ${base}`
  const terms = [...new Set(documents.flatMap(({ law_terms }) => law_terms))]
  const counted = await sql.rows(CitationCountRow)`
    select term, sum(octet_length(entries)) / ${postingLength} as citing
    from knowledge.postings join knowledge.bases on no = base and bases.numbering = postings.numbering
    where base = ${base} and term = any(${numberArray(terms, 'int4')}) group by term`
  const byTerm = new Map(counted.map(({ term, citing }) => [term, citing]))
  const changed = documents.flatMap(({ document_id, law_terms, citation_count }) => {
    const now = law_terms.reduce((sum, term) => sum + (byTerm.get(term) ?? 0), 0)
    return now === citation_count ? [] : [{ document_id, citation_count: now }]
  })
  await sql`
    update knowledge.documents document set citation_count = counted.citation_count
    from jsonb_to_recordset(${json(changed)}) as counted (document_id text, citation_count int)
    where document.base = ${base} and document.document_id = counted.document_id`
}
