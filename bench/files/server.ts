import { createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createServer, get, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { makeMetrics } from '../../services/_kit/metrics.ts'
import { migrate } from '../../services/_kit/sql/migrate.ts'
import { postgresDriver } from '../../services/_kit/sql/postgres.ts'
import { listen } from '../../services/_run/listen.ts'
import { makeLog } from '../../services/_run/log.ts'
import files from '../../services/files/service.ts'
import { s3Store } from '../../services/files/store/s3.ts'

/** Server under load: `full` is files-service as in production, `bare` copies streams. */
const [kind] = process.argv.slice(2)
const { DATABASE_URL, FILES_STORAGE, FILES_DIR } = process.env
const port = kind === 'full' ? await full() : await bare()
process.send!({ port })

async function full(): Promise<number> {
  const database = postgresDriver(DATABASE_URL!, 10)
  await migrate(database, files.folder, files.schema)
  const { fetch } = files.start({
    env: process.env,
    database,
    peers: () => () => Promise.reject(new Error('no peers')),
    log: makeLog(files.name, { LOG_LEVEL: 'info', LOG_FORMAT: 'json' }),
    metrics: makeMetrics(),
    runtime: 'node',
    version: '0',
  })
  return (await listen(fetch, 0, '127.0.0.1')).port
}

/** Baseline: copies the body without parsing the form, hashing, type detection or database. */
async function bare(): Promise<number> {
  const copy = FILES_STORAGE === 's3' ? await copyToS3() : copyToFile(`${FILES_DIR}/bare`)
  const server = createServer((incoming, outgoing) =>
    incoming.method === 'POST' ? copy.receive(incoming, outgoing) : copy.send(incoming, outgoing),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

interface Copy {
  receive(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void>
  send(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void>
}

function copyToFile(path: string): Copy {
  return {
    async receive(incoming, outgoing) {
      await pipeline(incoming, createWriteStream(path, { flush: true }))
      outgoing.writeHead(201, { 'content-length': 0 }).end()
    },
    async send(_, outgoing) {
      const file = await open(path)
      outgoing.writeHead(200, { 'content-length': (await file.stat()).size })
      await pipeline(file.createReadStream(), outgoing)
    },
  }
}

async function copyToS3(): Promise<Copy> {
  const { S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = process.env
  const { urls } = s3Store({
    endpoint: S3_ENDPOINT,
    region: 'us-east-1',
    bucket: S3_BUCKET!,
    accessKeyId: S3_ACCESS_KEY_ID!,
    secretAccessKey: S3_SECRET_ACCESS_KEY!,
    forcePathStyle: true,
  })
  const key = `files/${crypto.randomUUID()}`
  return {
    async receive(incoming, outgoing) {
      const size = Number(incoming.headers['content-length'])
      const { url } = await urls!.put(key, 60, { size, sha256: undefined })
      const upload = request(url, { method: 'PUT', headers: { 'content-length': size } })
      const responded = new Promise<IncomingMessage>((resolve) => upload.once('response', resolve))
      await pipeline(incoming, upload)
      const { statusCode } = (await responded).resume()
      outgoing.writeHead(statusCode === 200 ? 201 : 500, { 'content-length': 0 }).end()
    },
    async send(_, outgoing) {
      const served = { contentType: 'application/octet-stream', disposition: 'attachment' }
      const url = await urls!.get(key, 60, served)
      const response = await new Promise<IncomingMessage>((resolve) => get(url, resolve))
      outgoing.writeHead(200, { 'content-length': Number(response.headers['content-length']) })
      await pipeline(response, outgoing)
    },
  }
}
