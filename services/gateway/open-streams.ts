import * as z from 'zod'
import { json, type Sql } from '../_kit/sql/sql.ts'
import type { Principal } from './principal.ts'

/** Event streams that are open, by the credential that opened them. */
export interface OpenStreams {
  /**
   * Returns a body that ends when the credential is revoked or expires, or when the rights of the person
   * change. The client then connects again and is refused, or gets the new rights.
   */
  watch(
    sql: Sql,
    principal: Principal,
    body: ReadableStream<Uint8Array>,
  ): ReadableStream<Uint8Array>
}

interface Watched {
  principal: Principal
  /** Functions that end the streams of the credential. */
  ends: Set<() => void>
}

const checkMs = 1_000

/** Checks all credentials with open streams in one statement per second. */
export function makeOpenStreams(): OpenStreams {
  const watched = new Map<string, Watched>()
  let checking = false

  /** Repeats the check while streams are open. A failed check is repeated; the streams stay open. */
  async function keepChecking(sql: Sql) {
    checking = true
    while (watched.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, checkMs))
      // Streams that open during the query are not part of its result.
      const entries = new Map(watched)
      if (entries.size === 0) break
      const valid = await loadValid(sql, entries).catch(() => undefined)
      for (const [key, { ends }] of valid ? entries : []) {
        if (!valid!.has(key)) for (const end of [...ends]) end()
      }
    }
    checking = false
  }

  function add(principal: Principal, end: () => void): () => void {
    const key = keyOf(principal)
    const entry = watched.get(key) ?? { principal, ends: new Set() }
    watched.set(key, entry)
    entry.ends.add(end)
    return () => {
      entry.ends.delete(end)
      if (entry.ends.size === 0 && watched.get(key) === entry) watched.delete(key)
    }
  }

  return {
    watch(sql, principal, body) {
      const reader = body.getReader()
      let isEnded = false
      const leave = add(principal, () => {
        leave()
        isEnded = true
        reader.cancel().catch(() => {})
      })
      if (!checking) keepChecking(sql)
      return new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            // A read that waits resolves as done when the reader is cancelled; on workerd it fails.
            const { done, value } = await reader.read().catch((thrown: unknown) => {
              leave()
              if (isEnded) return { done: true, value: undefined }
              throw thrown
            })
            if (!done) return controller.enqueue(value!)
            leave()
            controller.close()
          },
          cancel(reason) {
            leave()
            return reader.cancel(reason)
          },
        },
        { highWaterMark: 0 },
      )
    },
  }
}

/** Rights are part of the key, so that streams with earlier rights end. */
const keyOf = ({ identity, credential }: Principal) =>
  `${credential.kind} ${credential.id} ${JSON.stringify(identity)}`

const ValidKey = z.object({ key: z.string() })

/** Keys of the credentials that are still valid with the same rights. */
async function loadValid(sql: Sql, watched: ReadonlyMap<string, Watched>): Promise<Set<string>> {
  const now = Date.now()
  const entries = [...watched]
    .map(([key, { principal }]) => ({ key, ...principal }))
    .filter(({ credential }) => !('expiresAt' in credential) || credential.expiresAt! > now)
    .map(({ key, identity, credential }) => ({
      key,
      identity,
      id: credential.id,
      kind: 'expiresAt' in credential ? 'bearer' : credential.kind,
      organization_id: identity.organization_id,
      user_id: identity.id,
    }))
  const rows = await sql.rows(ValidKey)`
    select entry.key
    from jsonb_to_recordset(${json(entries)}) as entry (key text, kind text, id uuid,
      organization_id text, user_id text, identity jsonb)
    left join gateway.people person using (organization_id, user_id)
    where case entry.kind
      when 'bearer' then coalesce(person.active, true)
      when 'session' then person.active and person.identity = entry.identity and exists (
        select from gateway.sessions session
        where session.id = entry.id and session.expires_at > now())
      else person.active and person.identity = entry.identity and exists (
        select from gateway.tokens token
        where token.id = entry.id and (token.expires_at is null or token.expires_at > now()))
      end`
  return new Set(rows.map(({ key }) => key))
}
