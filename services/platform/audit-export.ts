import * as z from 'zod'
import { Fault } from '../_kit/fault.ts'
import type { Sql } from '../_kit/sql/sql.ts'
import { AuditEntry, chainName } from './audit-chain.ts'
import { Checkpoint, type Signer } from './audit-signing.ts'
import { signHead } from './checkpoints.ts'
import { get, manage } from './deps.ts'

const batchSize = 1_000

export const auditExport = [
  get(
    '/api/v1/audit-logs/export',
    {
      summary: 'Export the audit chain with its checkpoints',
      description:
        'NDJSON: every entry as `{"entry"}`, then every checkpoint as `{"checkpoint"}`, then the public key as `{"public_key"}` (null for HMAC). Signs the head first and ends with it. `legal-audit` verifies the file offline.',
      guard: manage,
      query: z.object({}),
      responses: { 200: { content: { 'application/x-ndjson': { schema: { type: 'string' } } } } },
    },
    async (c) => {
      const { sql, signer } = c.env
      const organization = chainName(c.var.caller)
      // Entries that are appended during the export are not signed yet.
      const lastSeq = signer ? await signLastEntry(sql, signer, organization) : null
      const publicKey = (await signer?.publicKey()) ?? null
      const lines = exportLines(sql, organization, lastSeq, publicKey)
      const encoder = new TextEncoder()
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          const { value, done } = await lines.next()
          if (done) controller.close()
          else controller.enqueue(encoder.encode(value))
        },
      })
      return new Response(body, { headers: { 'Content-Type': 'application/x-ndjson' } })
    },
  ),
]

/** Signs the chain and returns the number of its last entry, or null for a chain without entries. */
async function signLastEntry(sql: Sql, signer: Signer, organization: string) {
  try {
    return (await signHead(sql, signer, organization)).checkpoint.seq
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.kind === 'CONFLICT') return null
    throw thrown
  }
}

/** Yields the lines of an export in batches. Reads one batch at a time, so memory does not grow. */
async function* exportLines(
  sql: Sql,
  organization: string,
  lastSeq: number | null,
  publicKey: string | null,
) {
  const toLines = (records: unknown[]) =>
    records.map((each) => `${JSON.stringify(each)}\n`).join('')
  for (let seq = 0; ; ) {
    const entries = await sql.rows(AuditEntry)`
      select * from platform.audit_logs
      where organization_id = ${organization} and seq > ${seq}
        and seq <= coalesce(${lastSeq}::int, seq)
      order by seq limit ${batchSize}`
    if (entries.length > 0) yield toLines(entries.map((entry) => ({ entry })))
    if (entries.length < batchSize) break
    seq = entries.at(-1)!.seq
  }
  const checkpoints = await sql.rows(Checkpoint)`
    select * from platform.audit_checkpoints
    where organization_id = ${organization} and seq <= coalesce(${lastSeq}::int, seq) order by seq`
  yield toLines(checkpoints.map((checkpoint) => ({ checkpoint })))
  yield toLines([{ public_key: publicKey }])
}
