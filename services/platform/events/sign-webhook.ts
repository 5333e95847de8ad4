const encoder = new TextEncoder()
const prefix = 'whsec_'

/** Headers of Standard Webhooks: HMAC-SHA256 over id, timestamp and body. */
export async function signWebhook(secret: string, id: string, nowMs: number, body: string) {
  const timestamp = String(Math.floor(nowMs / 1_000))
  const bytes = Uint8Array.from(atob(secret.slice(prefix.length)), (each) => each.charCodeAt(0))
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign'])
  const signed = encoder.encode(`${id}.${timestamp}.${body}`)
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed))
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${btoa(String.fromCharCode(...signature))}`,
  }
}
