import type { Sql } from '../../_kit/sql/sql.ts'
import type { Qdrant } from './client.ts'
import { marksIn, scroll } from './collection.ts'
import type { Index } from './indexes.ts'
import { marksAt, marksBetween } from './mark.ts'
import { notPending, type Place, pendThose, placesOf } from './pending.ts'
import { lastPlace, placeOf } from './point.ts'

const atOnce = 5_000

/** Goes through a collection and the database side by side; has told again what differs, and says how much. */
export async function mend(
  sql: Sql,
  qdrant: Qdrant,
  index: Index,
  signal?: AbortSignal,
): Promise<Place[]> {
  const all: Place[] = []
  let from = 0
  for (let next: number | undefined = 0; next !== undefined; ) {
    signal?.throwIfAborted()
    const page = await scroll(qdrant, index.collection, from, atOnce)
    next = page.next
    const to = next === undefined ? lastPlace : placeOf(next)
    const here = await marksBetween(sql, index, placeOf(from), to)
    const odd = await stillOdd(sql, qdrant, index, differing(here, page.marks))
    if (odd.length > 0) await pendThose(sql, placesOf(odd), index.collection)
    all.push(...odd)
    from = next ?? 0
  }
  return all
}

function differing(here: ReadonlyMap<number, string>, there: ReadonlyMap<number, string>) {
  const odd = [...here].filter(([id, mark]) => there.get(id) !== mark).map(([id]) => id)
  for (const id of there.keys()) if (!here.has(id)) odd.push(id)
  return odd
}

/** What was written or told between two looks, or is on the list already, is no difference. */
async function stillOdd(sql: Sql, qdrant: Qdrant, index: Index, ids: readonly number[]) {
  const odd: Place[] = []
  for (let at = 0; at < ids.length; at += atOnce) {
    const some = ids.slice(at, at + atOnce)
    const there = await marksIn(qdrant, index.collection, some)
    const here = await marksAt(sql, index, some.map(placeOf))
    const different = some.filter((id) => here.get(id) !== there.get(id)).map(placeOf)
    odd.push(...(await notPending(sql, index.collection, different)))
  }
  return odd
}
