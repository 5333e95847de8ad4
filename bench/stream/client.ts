import { request } from 'node:http'
import type { Plan } from './engine.ts'

const headers = {
  'content-type': 'application/json',
  'x-user-id': 'bench',
  'x-organization-id': 'bench',
}

/** An open stream and its totals. */
export interface Stream {
  done: Promise<{ events: number; bytes: number }>
}

/** Creates a session and returns its chat URL. The bare server has no sessions. */
export async function createSession(base: string, kind: 'full' | 'bare'): Promise<string> {
  if (kind === 'bare') return base
  const path = `${base}/api/v1/consultations/sessions`
  const answer = await fetch(path, { method: 'POST', headers, body: '{}' })
  const { data } = (await answer.json()) as { data: { id: string } }
  return `${path}/${data.id}/chat`
}

const word = Buffer.from('"content":"')

/** Requests a stream. Resolves when it starts. `onEvent` gets the age of each event in milliseconds. */
export function openStream(
  url: string,
  plan: Plan,
  onEvent?: (ms: number) => void,
): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const asking = request(url, { method: 'POST', headers, agent: false }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`answered ${response.statusCode}`))
      let events = 0
      let bytes = 0
      const done = new Promise<{ events: number; bytes: number }>((done, failed) => {
        let rest: Buffer = Buffer.alloc(0)
        response.on('data', (received: Buffer) => {
          bytes += received.length
          // A chunk may end within the search string.
          const chunk = rest.length > 0 ? Buffer.concat([rest, received]) : received
          rest = chunk.subarray(-(word.length - 1))
          const now = process.hrtime.bigint()
          for (let at = chunk.indexOf(word); at >= 0; at = chunk.indexOf(word, at + 1)) {
            events++
            if (!onEvent) continue
            const from = at + word.length
            const to = chunk.indexOf(32, from)
            if (to > 0) onEvent(Number(now - BigInt(chunk.toString('latin1', from, to))) / 1e6)
          }
        })
        response.once('end', () => done({ events, bytes }))
        response.once('error', failed)
      })
      // Idle streams are never read to their end, so `done` may reject unhandled.
      done.catch(() => {})
      resolve({ done })
    })
    asking.once('error', reject)
    asking.end(JSON.stringify({ content: JSON.stringify(plan) }))
  })
}
