import type { BaseRow } from '../base.ts'
import { guidanceTo, type Laws } from './context.ts'
import { placedAt } from './heads.ts'
import type { Reader } from './keyword.ts'
import type { Scored } from './top.ts'

/** How much of what lay words say of an article counts beside the likeness of meanings. */
const ofGuidance = 0.4
/** So many of the nearest are seen by it. */
const seen = 1_000

/** How many of the nearest to ask for. */
export const nearestOf = (laws: Laws, wanted: number) =>
  laws.size > 0 ? Math.max(wanted, seen) : wanted

/** The nearest by meaning, where lay words tell which laws and articles are asked of. */
export async function led(
  { sql, searchCache }: Pick<Reader, 'sql' | 'searchCache'>,
  bases: readonly BaseRow[],
  near: readonly Scored[],
  laws: Laws,
): Promise<Scored[]> {
  if (laws.size === 0) return [...near]
  const placed = await placedAt(sql, searchCache, bases, near)
  return placed
    .map(({ base, seq, score, document, article }) => ({
      base,
      seq,
      score: score + ofGuidance * guidanceTo(laws.get(document.law), article),
    }))
    .sort((a, b) => b.score - a.score || a.base - b.base || a.seq - b.seq)
}
