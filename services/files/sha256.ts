import type { Host } from '../_kit/context.ts'

/** Incremental SHA-256, which the Web Crypto API does not offer. */
export interface Sha256 {
  update(chunk: Uint8Array): unknown
  hex(): Promise<string>
}

export async function makeSha256(runtime: Host['runtime']): Promise<Sha256> {
  if (runtime === 'workerd') return workerdSha256()
  const { nodeSha256 } = await import('./sha256.node.ts')
  return nodeSha256()
}

interface DigestStream extends WritableStream<Uint8Array> {
  digest: Promise<ArrayBuffer>
}

/** Uses the DigestStream of workerd. */
function workerdSha256(): Sha256 {
  const { DigestStream } = crypto as unknown as { DigestStream: new (name: string) => DigestStream }
  const stream = new DigestStream('SHA-256')
  const writer = stream.getWriter()
  return {
    update: (chunk) => writer.write(chunk),
    async hex() {
      await writer.close()
      return Array.from(new Uint8Array(await stream.digest), (byte) =>
        byte.toString(16).padStart(2, '0'),
      ).join('')
    },
  }
}
