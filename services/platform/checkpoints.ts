import * as z from 'zod'
import type { ServiceContext } from '../_kit/context.ts'
import { ok } from '../_kit/endpoint.ts'
import { Fault } from '../_kit/fault.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment, type Sql } from '../_kit/sql/sql.ts'
import { ChainHead, chainName } from './audit-chain.ts'
import { Checkpoint, type Signer } from './audit-signing.ts'
import { type Deps, get, manage, post } from './deps.ts'

const path = '/api/v1/audit-logs/checkpoints'

export const checkpoints = [
  get(
    path,
    {
      summary: 'List signed checkpoints of the audit chain, newest first',
      guard: manage,
      query: PageQuery,
      responses: { 200: pageSchema(Checkpoint) },
    },
    async (c, { query }) => {
      const from = fragment`platform.audit_checkpoints
        where organization_id = ${chainName(c.var.caller)}`
      const order = fragment`seq desc`
      return ok(c, await selectPage(c.env.sql, Checkpoint, query, { from, order }))
    },
  ),

  post(
    path,
    {
      summary: 'Sign the head of the audit chain',
      description: 'Returns the existing checkpoint if the head is already signed (200).',
      guard: manage,
      responses: { 200: Checkpoint, 201: Checkpoint },
      faults: ['CONFLICT'],
    },
    async (c) => {
      const signer = requireSigner(c.env.signer)
      const { checkpoint, created } = await signHead(c.env.sql, signer, chainName(c.var.caller))
      return ok(c, checkpoint, created ? 201 : 200)
    },
  ),
]

function requireSigner(signer: Signer | undefined): Signer {
  if (signer) return signer
  throw new Fault('CONFLICT', 'AUDIT_SIGNING_KEY is not configured.')
}

/** Signs the head of a chain, unless a checkpoint for it exists. */
export async function signHead(sql: Sql, signer: Signer, organization: string) {
  const head = await sql.row(ChainHead)`
    select seq, hash from platform.audit_heads where organization_id = ${organization} and seq > 0`
  if (!head) throw new Fault('CONFLICT', 'The audit chain has no entries.')
  const signed = await signer.sign({
    organization_id: organization,
    ...head,
    created_at: new Date().toISOString(),
  })
  const inserted = await sql.row(Checkpoint)`
    insert into platform.audit_checkpoints
      (organization_id, seq, hash, created_at, algorithm, key_id, signature)
    values (${organization}, ${signed.seq}, ${signed.hash}, ${signed.created_at}::text::timestamptz,
      ${signed.algorithm}, ${signed.key_id}, ${signed.signature})
    on conflict (organization_id, seq) do nothing returning *`
  if (inserted) return { checkpoint: inserted, created: true }
  const existing = await sql.row(Checkpoint)`
    select * from platform.audit_checkpoints
    where organization_id = ${organization} and seq = ${signed.seq}`
  return { checkpoint: existing!, created: false }
}

const Chain = z.object({ organization_id: z.string() })

/** Signs every chain that grew since its last checkpoint. Runs with the sweep of the service. */
export async function signGrownChains({ sql, signer }: ServiceContext<Deps>): Promise<void> {
  if (!signer) return
  const grown = await sql.rows(Chain)`
    select organization_id from platform.audit_heads head
    where seq > coalesce((select max(seq) from platform.audit_checkpoints checkpoint
      where checkpoint.organization_id = head.organization_id), 0)`
  for (const { organization_id } of grown) await signHead(sql, signer, organization_id)
}
