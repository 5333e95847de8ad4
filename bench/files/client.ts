import { connect } from 'node:net'

const MiB = 1024 * 1024
const boundary = '----WebKitFormBoundary7MA4YWxkTrZu0gW'
const head = Buffer.from(
  `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="bench.bin"\r\n\r\n`,
)
const tail = Buffer.from(`\r\n--${boundary}--\r\n`)
const noise = crypto.getRandomValues(new Uint8Array(MiB).subarray(0, 65_536))
const chunk = Buffer.concat(Array<Uint8Array>(MiB / noise.length).fill(noise))

const identity = 'x-user-id: bench\r\nx-organization-id: bench\r\n'

/** Uploads a file of `size` MiB as fast as the server accepts it. Returns the response body. */
export function upload(port: number, size: number): Promise<string> {
  const length = head.length + size * MiB + tail.length
  const requestHead =
    `POST /api/v1/files/upload HTTP/1.1\r\nhost: localhost\r\n${identity}connection: close\r\n` +
    `content-type: multipart/form-data; boundary=${boundary}\r\ncontent-length: ${length}\r\n\r\n`
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let left = size
    const send = () => {
      while (left > 0) {
        left--
        if (!socket.write(chunk)) return
      }
      socket.off('drain', send)
      socket.write(tail)
    }
    socket.once('connect', () => {
      socket.on('drain', send)
      socket.write(requestHead)
      socket.write(head)
      send()
    })
    let response = ''
    socket.on('data', (data) => {
      response += data
    })
    socket.once('error', reject)
    socket.once('close', () => {
      if (response.startsWith('HTTP/1.1 201'))
        resolve(response.slice(response.indexOf('\r\n\r\n') + 4))
      else reject(new Error(response || 'no response'))
    })
  })
}

/** Downloads a file and discards it. Returns the number of bytes of the response. */
export function download(port: number, fileId: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const path = `/api/v1/files/${fileId}/download`
    socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n${identity}connection: close\r\n\r\n`)
    let received = 0
    socket.on('data', (data) => {
      received += data.length
    })
    socket.once('error', reject)
    socket.once('close', () => resolve(received))
  })
}
