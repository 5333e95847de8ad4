import * as z from 'zod'
import { Time } from '../_kit/fields.ts'
import { canonicalJson, sha256Hex } from '../_kit/hash.ts'

/** Signed statement that the chain of an organization has the given hash at entry `seq`. */
export const Checkpoint = z
  .object({
    organization_id: z.string(),
    seq: z.int().min(1),
    hash: z.string(),
    created_at: Time,
    algorithm: z.enum(['HMAC-SHA-256', 'Ed25519']),
    key_id: z.string().describe('First 12 hex digits of the SHA-256 of the verification key.'),
    signature: z.string().describe('Base64.'),
  })
  .meta({ id: 'AuditCheckpoint' })
export type Checkpoint = z.infer<typeof Checkpoint>

type UnsignedCheckpoint = Pick<Checkpoint, 'organization_id' | 'seq' | 'hash' | 'created_at'>

export interface Signer {
  sign(checkpoint: UnsignedCheckpoint): Promise<Checkpoint>
  verify(checkpoint: Checkpoint): Promise<boolean>
  keyId(): Promise<string>
  /** Public key as PEM, for offline verification. Null for HMAC, whose key is secret. */
  publicKey(): Promise<string | null>
}

const encoder = new TextEncoder()
const signedBytes = ({ organization_id, seq, hash, created_at }: UnsignedCheckpoint) =>
  encoder.encode(canonicalJson(['audit-checkpoint', organization_id, seq, hash, created_at]))

const toBase64 = (bytes: ArrayBuffer) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
const fromBase64 = (text: string) =>
  Uint8Array.from(atob(text.replace(/\s/g, '')), (character) => character.charCodeAt(0))

const pemBody = (text: string, label: string) =>
  new RegExp(`-----BEGIN ${label}-----([A-Za-z0-9+/=\\s]+)-----END ${label}-----`).exec(text)?.[1]

interface KeyPair {
  algorithm: Checkpoint['algorithm']
  /** Undefined if only the public key is known. */
  signKey: CryptoKey | undefined
  verifyKey: CryptoKey
  keyId: string
  publicKey: string | null
}

/** Makes a signer of a key: PEM of an Ed25519 private or public key, otherwise an HMAC secret. */
export function makeSigner(key: string): Signer {
  const loading = loadKeys(key)
  loading.catch(() => {})
  return {
    async sign(checkpoint) {
      const { algorithm, signKey, keyId } = await loading
      if (!signKey) throw new Error('a public key cannot sign')
      const signature = await crypto.subtle.sign(
        subtleName(algorithm),
        signKey,
        signedBytes(checkpoint),
      )
      return { ...checkpoint, algorithm, key_id: keyId, signature: toBase64(signature) }
    },
    async verify(checkpoint) {
      const { algorithm, verifyKey, keyId } = await loading
      if (checkpoint.algorithm !== algorithm || checkpoint.key_id !== keyId) return false
      const signature = fromBase64(checkpoint.signature)
      return crypto.subtle.verify(
        subtleName(algorithm),
        verifyKey,
        signature,
        signedBytes(checkpoint),
      )
    },
    keyId: async () => (await loading).keyId,
    publicKey: async () => (await loading).publicKey,
  }
}

const subtleName = (algorithm: Checkpoint['algorithm']) =>
  algorithm === 'Ed25519' ? 'Ed25519' : 'HMAC'

async function loadKeys(key: string): Promise<KeyPair> {
  const privatePem = pemBody(key, 'PRIVATE KEY')
  const publicPem = pemBody(key, 'PUBLIC KEY')
  if (privatePem) return loadPrivateKey(fromBase64(privatePem))
  if (publicPem) return loadPublicKey(fromBase64(publicPem), undefined)
  const secret = encoder.encode(key)
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('raw', secret, hmac, false, ['sign', 'verify'])
  const keyId = (await sha256Hex(`audit:${key}`)).slice(0, 12)
  return {
    algorithm: 'HMAC-SHA-256',
    signKey: imported,
    verifyKey: imported,
    keyId,
    publicKey: null,
  }
}

/** WebCrypto cannot derive a public key, except through the JWK form of the private key. */
async function loadPrivateKey(der: Uint8Array<ArrayBuffer>): Promise<KeyPair> {
  const ed25519 = { name: 'Ed25519' }
  const signKey = await crypto.subtle.importKey('pkcs8', der, ed25519, true, ['sign'])
  const { d: _, key_ops: __, ...jwk } = await crypto.subtle.exportKey('jwk', signKey)
  const verifyKey = await crypto.subtle.importKey('jwk', jwk, ed25519, true, ['verify'])
  const spki = new Uint8Array(await crypto.subtle.exportKey('spki', verifyKey))
  return loadPublicKey(spki, signKey)
}

async function loadPublicKey(
  der: Uint8Array<ArrayBuffer>,
  signKey: CryptoKey | undefined,
): Promise<KeyPair> {
  const verifyKey = await crypto.subtle.importKey('spki', der, { name: 'Ed25519' }, true, [
    'verify',
  ])
  const base64 = toBase64(der.buffer)
  return {
    algorithm: 'Ed25519',
    signKey,
    verifyKey,
    keyId: (await sha256Hex(base64)).slice(0, 12),
    publicKey: `-----BEGIN PUBLIC KEY-----\n${base64}\n-----END PUBLIC KEY-----\n`,
  }
}
