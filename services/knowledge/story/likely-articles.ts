import * as z from 'zod'
import { json, numberArray, type Sql } from '../../_kit/sql/sql.ts'
import type { BaseRow } from '../base.ts'
import { fetchChunks } from '../search/fetch/fetch-chunks.ts'
import { type Filters, filterConditions, inForceCondition } from '../search/query/request.ts'
import type { Hit } from '../search/response.ts'
import { readSnapshot } from '../search/snapshot.ts'
import { CauseOfActionProfile, LitigationElement } from '../seed/records.ts'
import { type CauseWithElements, type LikelyArticle, rankArticles } from './rank-causes.ts'

/** Articles of the likely causes that are searched. */
const maxArticles = 60

const RecordRow = z.object({ kind: z.string(), record: z.unknown() })

/** Loads the causes of action with their elements. */
async function loadCauses(sql: Sql): Promise<CauseWithElements[]> {
  const rows = await sql.rows(RecordRow)`
    select kind, record from knowledge.records where kind in ('cause_of_action', 'element')
    order by kind, key`
  const elements = rows
    .filter(({ kind }) => kind === 'element')
    .map(({ record }) => LitigationElement.parse(record))
  const byCause = Map.groupBy(elements, ({ cause_of_action_code }) => cause_of_action_code)
  return rows
    .filter(({ kind }) => kind === 'cause_of_action')
    .map(({ record }) => CauseOfActionProfile.parse(record))
    .map((profile) => ({ profile, elements: byCause.get(profile.code) ?? [] }))
}

const ChunkRef = z.object({ base: z.int(), seq: z.int(), weight: z.number() })

/**
 * Finds the articles that the elements of the likely causes of a story rest on, best first, in the
 * editions in force on a day. A story without a name or keyword of a cause has none.
 */
export async function findLikelyArticles(
  sql: Sql,
  text: string,
  bases: readonly BaseRow[],
  filters: Filters,
  day: string,
): Promise<Hit[]> {
  const likely = rankArticles(text, await loadCauses(sql), maxArticles)
  if (likely.length === 0 || bases.length === 0) return []
  const candidates = await readSnapshot(sql, async (sql) => {
    const refs = await loadChunkRefs(sql, likely, bases, filters, day)
    return fetchChunks(
      sql,
      refs.map(({ base, seq, weight }) => ({ base, seq, score: weight })),
    )
  })
  return candidates.map(({ chunk, score }) => ({ ...chunk.hit, score, matched_by: ['keyword'] }))
}

const loadChunkRefs = (
  sql: Sql,
  likely: readonly LikelyArticle[],
  bases: readonly BaseRow[],
  filters: Filters,
  day: string,
) => sql.rows(ChunkRef)`
  select chunk.base, min(chunk.seq) as seq, max(likely.weight) as weight
  from jsonb_to_recordset(${json(likely)}) likely (law text, article text, weight float8)
    join knowledge.documents document on law_keys @> array[likely.law]
    join knowledge.chunks chunk on chunk.base = document.base
      and chunk.document_id = document.document_id and chunk.article = likely.article
  where document.base = any(${numberArray(
    bases.map(({ no }) => no),
    'int4',
  )}) ${filterConditions(filters)} ${inForceCondition(day)}
  group by chunk.base, chunk.document_id, chunk.article
  order by weight desc, 1, 2 limit ${maxArticles}`
