import type { Context } from 'hono'
import * as z from 'zod'
import type { Env } from '../_kit/context.ts'
import { Fault } from '../_kit/fault.ts'
import type { Sql } from '../_kit/sql/sql.ts'
import type { Deps } from './deps.ts'

type Method = 'GET' | 'PUT'

/** Query parameters of a signed URL. */
export const SignedQuery = z.object({
  expires: z.coerce.number().int().min(0).max(1e11).describe('Expiry in seconds since 1970.'),
  signature: z.string().max(100).describe('HMAC over method, file id and expiry.'),
})

/** Builds a URL of this service that authorizes one method on one file until it expires. */
export async function signedUrl(
  c: Context<Env<Deps>>,
  method: Method,
  fileId: string,
  expires: Date,
) {
  const seconds = Math.ceil(expires.getTime() / 1000)
  const key = await loadSigningKey(c.env.sql)
  const signature = await crypto.subtle.sign('HMAC', key, signedMessage(method, fileId, seconds))
  const base = c.env.publicUrl ?? new URL(c.req.url).origin
  return `${base}/api/v1/files/${fileId}/content?expires=${seconds}&signature=${base64url(signature)}`
}

export async function verifySignature(
  sql: Sql,
  method: Method,
  fileId: string,
  signed: z.output<typeof SignedQuery>,
) {
  const signature = fromBase64url(signed.signature)
  const message = signedMessage(method, fileId, signed.expires)
  const valid =
    signature && (await crypto.subtle.verify('HMAC', await loadSigningKey(sql), signature, message))
  if (!valid) throw new Fault('FORBIDDEN', 'Invalid signature.')
  if (signed.expires * 1000 < Date.now())
    throw new Fault('FORBIDDEN', 'The URL has expired. Request a new one.')
}

const signedMessage = (method: Method, fileId: string, seconds: number) =>
  new TextEncoder().encode(`${method} ${fileId.toLowerCase()} ${seconds}`)

const Secret = z.object({ secret: z.string() })

/**
 * Loads the signing key, creating it on first use. The key is stored in the database so that all processes
 * share it and a rotated internal key does not invalidate URLs.
 */
async function loadSigningKey(sql: Sql): Promise<CryptoKey> {
  const read = () => sql.row(Secret)`select secret from files.signing_keys where id = 1`
  let row = await read()
  if (!row) {
    await createSecret(sql)
    row = (await read())!
  }
  const bytes = new TextEncoder().encode(row.secret)
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ])
}

const createSecret = (sql: Sql) => sql`
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
