import { connect } from 'node:net'

/** Encodes an HTTP/1.1 request. */
export function encodeRequest(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body)
  const sent = {
    host: 'localhost',
    ...headers,
    ...(text ? { 'content-type': 'application/json' } : {}),
    'content-length': String(Buffer.byteLength(text)),
  }
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`)
}

/**
 * Sends each list of requests sequentially over its own connection. Returns the responses per second.
 * Parses as little as possible, because load and server share the machine.
 */
export async function runLoad(port: number, lists: Buffer[][]): Promise<number> {
  const startedAt = performance.now()
  await Promise.all(lists.map((list) => sendAll(port, list)))
  const requests = lists.reduce((sum, list) => sum + list.length, 0)
  return (requests / (performance.now() - startedAt)) * 1000
}

function sendAll(port: number, list: Buffer[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let next = 0
    let received = Buffer.alloc(0)
    const send = () => socket.write(list[next++]!)
    socket.once('connect', send)
    socket.on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      const length = responseLength(received)
      if (length === undefined || received.length < length) return
      if (!received.subarray(9, 10).equals(success)) {
        reject(new Error(`unexpected response: ${received.subarray(0, 2_000).toString()}`))
        socket.destroy()
        return
      }
      received = received.subarray(length)
      if (next < list.length) send()
      else socket.end()
    })
    socket.once('error', reject)
    socket.once('close', () => {
      if (next < list.length) reject(new Error('the server closed the connection'))
      else resolve()
    })
  })
}

const success = Buffer.from('2')
const headersEnd = Buffer.from('\r\n\r\n')

/** Length of the response in bytes, or undefined while the headers are incomplete. */
function responseLength(received: Buffer): number | undefined {
  const end = received.indexOf(headersEnd)
  if (end < 0) return undefined
  const length = /\r\ncontent-length: (\d+)/i.exec(received.toString('latin1', 0, end))?.[1]
  if (length === undefined) throw new Error('response without content-length')
  return end + headersEnd.length + Number(length)
}
