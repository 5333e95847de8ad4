import { ConfigError } from '../_kit/config.ts'

/** Encrypts texts at rest. `context` binds a ciphertext to its row: elsewhere it does not decrypt. */
export interface Encryption {
  encrypt(text: string, context: string): Promise<string>
  /** Returns undefined if no key decrypts the text. */
  decrypt(ciphertext: string, context: string): Promise<string | undefined>
}

const encoder = new TextEncoder()
const ivBytes = 12

/** AES-256-GCM. The first secret encrypts, all of them decrypt, so that a secret can be rotated. */
export function makeEncryption(secrets: string): Encryption {
  const list = secrets.split(',').map((secret) => secret.trim())
  if (list.some((secret) => secret.length < 32)) {
    throw new ConfigError('GATEWAY_ENCRYPTION_KEY: a secret is shorter than 32 characters.')
  }
  const deriveKey = async (secret: string) => {
    const bits = await crypto.subtle.digest('SHA-256', encoder.encode(`gateway ${secret}`))
    return crypto.subtle.importKey('raw', bits, 'AES-GCM', false, ['encrypt', 'decrypt'])
  }
  const parameters = (iv: Uint8Array<ArrayBuffer>, context: string) => ({
    name: 'AES-GCM',
    iv,
    additionalData: encoder.encode(context),
  })

  return {
    async encrypt(text, context) {
      const iv = crypto.getRandomValues(new Uint8Array(ivBytes))
      const key = await deriveKey(list[0]!)
      const sealed = await crypto.subtle.encrypt(parameters(iv, context), key, encoder.encode(text))
      return toBase64([...iv, ...new Uint8Array(sealed)])
    },

    async decrypt(ciphertext, context) {
      const bytes = Uint8Array.from(atob(ciphertext), (character) => character.charCodeAt(0))
      const [iv, sealed] = [bytes.slice(0, ivBytes), bytes.slice(ivBytes)]
      for (const secret of list) {
        const key = await deriveKey(secret)
        const opened = await crypto.subtle
          .decrypt(parameters(iv, context), key, sealed)
          .catch(() => undefined)
        if (opened) return new TextDecoder().decode(opened)
      }
      return undefined
    },
  }
}

const toBase64 = (bytes: number[]) => btoa(bytes.map((byte) => String.fromCharCode(byte)).join(''))
