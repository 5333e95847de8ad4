import { readFileSync, writeFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { newDatabase } from '../../tests/support/databases.ts'
import { encodeForm, newDirectory } from '../../tests/support/files.ts'
import { freePort } from '../../tests/support/free-port.ts'
import { run } from '../../tests/support/process.ts'
import { startS3 } from '../../tests/support/s3.ts'

const MiB = 1024 * 1024
const size = 1024 * MiB
const key = 'a-key-for-tests-only'
const headers = { 'x-user-id': 'ann', 'x-organization-id': 'acme', 'x-internal-api-key': key }

const s3 = await startS3()
if (typeof s3 === 'string') console.warn(`skipped: ${s3}`)
const directory = newDirectory()
const storages: [string, Record<string, string>, () => Promise<void>][] = [
  ['a directory', directory.variables, directory.drop],
]
if (typeof s3 !== 'string') {
  storages.push(['S3', { FILES_STORAGE: 's3', ...s3.variables }, s3.stop])
}
if (process.platform !== 'linux')
  console.warn('skipped: only Linux tells how much memory was taken')

/** Form with one file of `bytes` bytes, generated while it is sent. */
function* form(boundary: string, bytes: number) {
  const text = new TextEncoder()
  yield text.encode(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="big"\r\n\r\n`,
  )
  const chunk = crypto.getRandomValues(new Uint8Array(65_536))
  for (let sent = 0; sent < bytes; sent += chunk.length) yield chunk
  yield text.encode(`\r\n--${boundary}--\r\n`)
}

/** Memory of a process in MiB, as reported by the kernel. */
const memory = (pid: number, name: 'VmRSS' | 'VmHWM') =>
  Number(
    new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1],
  ) / 1024

describe.runIf(process.platform === 'linux')('memory does not grow with the file', () => {
  test.each(storages)(
    'a gigabyte to and from %s increases memory by at most an eighth of its size',
    { timeout: 240_000 },
    async (_, variables, drop) => {
      const database = await newDatabase('postgres')
      const port = await freePort()
      const server = run(process.execPath, ['services/_run/node.ts', 'files'], {
        ...variables,
        DATABASE_URL: database.url,
        ENVIRONMENT: 'test',
        INTERNAL_API_KEY: key,
        PORT: String(port),
        FILES_MAX_BYTES: String(size),
      })
      await server.waitForOutput('listening')
      const api = `http://127.0.0.1:${port}/api/v1/files`
      const upload = async (body: BodyInit, type: string) => {
        const response = await fetch(`${api}/upload`, {
          method: 'POST',
          headers: { ...headers, 'content-type': type },
          body,
          duplex: 'half',
        } as RequestInit)
        expect(response.status).toBe(201)
        return ((await response.json()) as { data: { fileId: string; size: number } }).data
      }
      const download = async (fileId: string) => {
        let received = 0
        const { body } = await fetch(`${api}/${fileId}/download`, { headers })
        for await (const chunk of body!) received += chunk.length
        return received
      }

      // Warm-up: loads modules and grows the heap before the measurement.
      for (let n = 0; n < 12; n++) {
        const { raw, headers: type } = await encodeForm({ bytes: new Uint8Array(10 * MiB) })
        await download((await upload(raw as BodyInit, type['content-type'])).fileId)
      }
      const { pid } = server
      writeFileSync(`/proc/${pid}/clear_refs`, '5')
      const before = memory(pid, 'VmRSS')
      const body = Readable.toWeb(Readable.from(form('b', size))) as ReadableStream
      const file = await upload(body, 'multipart/form-data; boundary=b')
      expect(file.size).toBe(size)
      const uploaded = memory(pid, 'VmHWM') - before
      expect(await download(file.fileId)).toBe(size)
      const downloaded = memory(pid, 'VmHWM') - before
      console.log(`grown by ${uploaded.toFixed(0)} MiB, then ${downloaded.toFixed(0)} MiB`)

      await server.stop()
      await database.drop()
      await drop()
      expect(Math.max(uploaded, downloaded)).toBeLessThanOrEqual(size / MiB / 8)
    },
  )
})
