import type { Context } from 'hono'
import * as z from 'zod'
import type { Env } from '../_kit/endpoint.ts'
import { Fault } from '../_kit/fault.ts'
import type { Sql } from '../_kit/sql/sql.ts'
import type { Deps } from './deps.ts'

type Use = 'GET' | 'PUT'

/** The parameters that a signed URL of ours carries. */
export const Signed = z.object({
  expires: z.coerce.number().int().min(0).max(1e11).describe('Until when, in seconds since 1970.'),
  signature: z.string().max(100).describe('Made by us for this file, this use and this time.'),
})

/** A URL of this service that needs no headers: whoever has it may use it so, until then. */
export async function signedUrl(c: Context<Env<Deps>>, use: Use, fileId: string, expires: Date) {
  const seconds = Math.ceil(expires.getTime() / 1000)
  const key = await keyOf(c.env.sql)
  const signature = await crypto.subtle.sign('HMAC', key, meaning(use, fileId, seconds))
  const base = c.env.publicUrl ?? new URL(c.req.url).origin
  return `${base}/api/v1/files/${fileId}/content?expires=${seconds}&signature=${base64url(signature)}`
}

export async function checkSignature(
  sql: Sql,
  use: Use,
  fileId: string,
  signed: z.output<typeof Signed>,
) {
  const given = fromBase64url(signed.signature)
  const said = meaning(use, fileId, signed.expires)
  const genuine = given && (await crypto.subtle.verify('HMAC', await keyOf(sql), given, said))
  if (!genuine) throw new Fault('FORBIDDEN', 'This URL is not one of ours.')
  if (signed.expires * 1000 < Date.now()) throw new Fault('FORBIDDEN', 'This URL has expired.')
}

const meaning = (use: Use, fileId: string, seconds: number) =>
  new TextEncoder().encode(`${use} ${fileId.toLowerCase()} ${seconds}`)

const Secret = z.object({ secret: z.string() })

/** Kept in the database: every process signs alike, and the internal key may change meanwhile. */
async function keyOf(sql: Sql): Promise<CryptoKey> {
  const read = () => sql.row(Secret)`select secret from files.signing_keys where id = 1`
  let kept = await read()
  if (!kept) {
    await make(sql)
    kept = (await read())!
  }
  const bytes = new TextEncoder().encode(kept.secret)
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ])
}

const make = (sql: Sql) => sql`
  insert into files.signing_keys (id, secret)
  values (1, ${base64url(crypto.getRandomValues(new Uint8Array(32)).buffer)})
  on conflict (id) do nothing`

const base64url = (bytes: ArrayBuffer) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')

function fromBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]{43}$/.test(text)) return undefined
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}
