import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../tests/support/postgres-server.ts'
import { startS3 } from '../tests/support/s3.ts'
import { download, upload } from './files/client.ts'
import { createDatabase, versions } from './kit/postgres.ts'
import { formatCount, median } from './support/figures.ts'
import type { Results } from './support/results.ts'

const server = new URL('./files/server.ts', import.meta.url)

interface Size {
  rounds: number
  /** Size of a file in MiB. */
  file: number
  /** Size of the file for the memory measurement in MiB. */
  large: number
}

/** Compares uploads and downloads of files-service with a bare stream copy to the same storage. */
export async function run({ quick }: { quick: boolean }): Promise<Results> {
  const size = quick ? { rounds: 2, file: 32, large: 128 } : { rounds: 7, file: 256, large: 1024 }
  const postgres = await startPostgres({ durable: true })
  const directory = mkdtempSync(join(tmpdir(), 'legal-suite-bench-'))
  const s3 = await startS3()
  try {
    const env = { DATABASE_URL: await createDatabase(postgres.url), FILES_DIR: directory }
    const rows = await compare('a directory', env, size)
    if (typeof s3 !== 'string') {
      rows.push(...(await compare('S3', { ...env, ...s3.variables, FILES_STORAGE: 's3' }, size)))
    }
    return {
      versions: await versions(postgres.url),
      tables: [
        {
          title: 'One file at a time, MiB per second',
          head: ['storage', 'direction', 'plain copy', 'files-service', 'ratio', 'memory growth'],
          rows,
          notes: [
            `A file of ${size.file} MiB over loopback; median of ${size.rounds} alternating rounds. files-service parses the form, hashes and sniffs the content, flushes it to disk and writes a row. The plain copy is a Node server that pipes the body to a flushed file or to S3, and back. Both send one object of known length to S3: the length of the form gives the size of its file.`,
            `Memory growth is the peak resident memory of the warmed-up files-service during a transfer of ${size.large} MiB, minus its memory before.`,
            ...(typeof s3 === 'string' ? [`S3 was not measured: ${s3}.`] : []),
          ],
        },
      ],
    }
  } finally {
    if (typeof s3 !== 'string') await s3.stop()
    rmSync(directory, { recursive: true, force: true })
    await postgres.stop()
  }
}

async function compare(
  storage: string,
  env: Record<string, string>,
  size: Size,
): Promise<string[][]> {
  const [full, bare] = [await start('full', env), await start('bare', env)]
  const rates = {
    up: { full: [] as number[], bare: [] as number[] },
    down: { full: [] as number[], bare: [] as number[] },
  }
  for (let round = 0; round <= size.rounds; round++) {
    for (const [kind, { port }] of [
      ['bare', bare],
      ['full', full],
    ] as const) {
      const { fileId, up, down } = await roundTrip(port, size.file)
      if (kind === 'full') await remove(port, fileId)
      if (round === 0) continue
      rates.up[kind].push(up)
      rates.down[kind].push(down)
    }
  }
  const grown = await growth(full, size.large)
  for (const { child } of [full, bare]) {
    child.kill()
    await once(child, 'exit')
  }
  return (['up', 'down'] as const).map((way) => {
    const [copy, service] = [median(rates[way].bare), median(rates[way].full)]
    const ratio = (service / copy).toFixed(2)
    const memory = `${formatCount(grown[way])} MiB`
    return [
      storage,
      way === 'up' ? 'upload' : 'download',
      formatCount(copy),
      formatCount(service),
      ratio,
      memory,
    ]
  })
}

async function roundTrip(port: number, size: number) {
  const startedAt = performance.now()
  const response = await upload(port, size)
  const sent = performance.now()
  const fileId: string = response ? JSON.parse(response).data.fileId : 'bare'
  const received = await download(port, fileId)
  const ended = performance.now()
  if (received < size * 1024 * 1024) throw new Error('the answer is too short')
  return { fileId, up: size / ((sent - startedAt) / 1000), down: size / ((ended - sent) / 1000) }
}

const remove = (port: number, fileId: string) =>
  fetch(`http://127.0.0.1:${port}/api/v1/files/${fileId}`, {
    method: 'DELETE',
    headers: { 'x-user-id': 'bench', 'x-organization-id': 'bench' },
  })

/** Measures the peak memory increase during the upload and the download of a large file. */
async function growth({ child, port }: Running, size: number) {
  const memory = (name: 'VmRSS' | 'VmHWM') => {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
    return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)![1]) / 1024
  }
  const rise = async <T>(work: () => Promise<T>) => {
    writeFileSync(`/proc/${child.pid}/clear_refs`, '5')
    const before = memory('VmRSS')
    const result = await work()
    return { result, mib: memory('VmHWM') - before }
  }
  const up = await rise(() => upload(port, size))
  const { fileId } = JSON.parse(up.result).data
  const down = await rise(() => download(port, fileId))
  await remove(port, fileId)
  return { up: up.mib, down: down.mib }
}

interface Running {
  child: ChildProcess
  port: number
}

async function start(kind: 'full' | 'bare', env: Record<string, string>): Promise<Running> {
  const child = fork(server, [kind], {
    env: {
      ...process.env,
      ENVIRONMENT: 'production',
      INTERNAL_API_KEY: 'a-key-for-the-bench-only-and-long',
      FILES_MAX_BYTES: String(2 ** 31),
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const died = once(child, 'exit').then(() => Promise.reject(new Error(`${kind} did not start`)))
  const [{ port }] = (await Promise.race([once(child, 'message'), died])) as [{ port: number }]
  died.catch(() => {})
  return { child, port }
}
