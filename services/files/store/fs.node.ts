import { randomUUID } from 'node:crypto'
import { type FileHandle, link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Range, Store } from './store.ts'

const chunkBytes = 64 * 1024
const batchBytes = 512 * 1024
const flushBytes = 32 * 1024 * 1024

/** Storage in a directory. Files are written in `incomplete` and renamed when complete. */
export function fsStore(directory: string): Store {
  const root = resolve(directory)
  const incomplete = join(root, 'incomplete')
  const filePath = (key: string) => join(root, fanOut(key))

  const store: Store = {
    async put(key, chunks) {
      const path = filePath(key)
      const temporaryPath = join(incomplete, `${key.replace('/', '.')}.${randomUUID()}`)
      await mkdir(incomplete, { recursive: true })
      await makeDurableDirectory(dirname(path))
      try {
        const size = await writeChunks(temporaryPath, chunks)
        await rename(temporaryPath, path)
        await syncDirectory(dirname(path))
        return size
      } catch (thrown) {
        await rm(temporaryPath, { force: true })
        throw thrown
      }
    },

    async get(key, range) {
      const file = await open(filePath(key)).catch(nullIfMissing)
      if (!file) return null
      const { start, end } = range ?? { start: 0, end: (await file.stat()).size - 1 }
      return readRange(file, { start, end })
    },

    size: async (key) => (await stat(filePath(key)).catch(nullIfMissing))?.size ?? null,

    async copy(from, to) {
      await makeDurableDirectory(dirname(filePath(to)))
      try {
        // Files are never modified in place, so a hard link serves as a copy.
        await link(filePath(from), filePath(to))
        await syncDirectory(dirname(filePath(to)))
        return true
      } catch (thrown) {
        if (isMissing(thrown as NodeJS.ErrnoException)) return false
      }
      // Fallback for file systems without hard links.
      const bytes = await store.get(from)
      if (bytes) await store.put(to, bytes)
      return bytes !== null
    },

    async remove(key) {
      await rm(filePath(key), { force: true })
      const temporaryNames = (await readdir(incomplete).catch(nullIfMissing)) ?? []
      for (const temporaryPath of temporaryNames) {
        if (temporaryPath.startsWith(`${key.replace('/', '.')}.`))
          await rm(join(incomplete, temporaryPath), { force: true })
      }
    },

    check: () => mkdir(incomplete, { recursive: true }),
  }
  return store
}

/**
 * `files/<id>` → `files/ef/cd/<id>`. Ids start with a timestamp, so the directory is taken from their random
 * end.
 */
function fanOut(key: string): string {
  const [kind, id] = /^([a-z]+)\/([0-9a-f-]{36})$/.exec(key)?.slice(1) ?? []
  if (!kind || !id) throw new Error(`not a storage key: ${key}`)
  return join(kind, id.slice(-2), id.slice(-4, -2), id)
}

/**
 * Writes batches of chunks while the next batch arrives, flushing every 32 MiB. Resolves when all bytes are
 * on disk.
 */
async function writeChunks(path: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  await using file = await open(path, 'wx', 0o600)
  const [writing, flushing] = [makeSerialTask(), makeSerialTask()]
  let [size, flushed] = [0, 0]
  for await (const batch of batchChunks(chunks)) {
    await writing.start(() => writeAll(file, batch))
    if (size - flushed >= flushBytes) {
      await flushing.start(() => file.datasync())
      flushed = size
    }
    size += totalBytes(batch)
  }
  await writing.ended()
  // A write error is reported to only one fsync, which may be an earlier flush.
  await flushing.ended()
  await file.datasync()
  return size
}

/**
 * Runs one task at a time in the background. A failure is thrown by the next `start` or by `ended`.
 */
function makeSerialTask() {
  let running: Promise<void> = Promise.resolve()
  return {
    async start(work: () => Promise<void>) {
      await running
      running = work()
      // Prevents an unhandled rejection before the next await.
      running.catch(() => {})
    },
    ended: () => running,
  }
}

async function* batchChunks(chunks: AsyncIterable<Uint8Array>) {
  let batch: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    batch.push(chunk)
    size += chunk.length
    if (size < batchBytes) continue
    yield batch
    ;[batch, size] = [[], 0]
  }
  if (size > 0) yield batch
}

const totalBytes = (chunks: Uint8Array[]) => chunks.reduce((sum, chunk) => sum + chunk.length, 0)

async function writeAll(file: FileHandle, chunks: Uint8Array[]) {
  const { bytesWritten } = await file.writev(chunks)
  // writev may write fewer bytes than requested.
  if (bytesWritten < totalBytes(chunks))
    await file.appendFile(Buffer.concat(chunks).subarray(bytesWritten))
}

/** Streams a range with a read-ahead of two chunks, so that disk and network work in parallel. */
function readRange(file: FileHandle, { start, end }: Range): ReadableStream<Uint8Array> {
  let position = start
  async function next(controller: ReadableStreamDefaultController<Uint8Array>) {
    if (position <= end) {
      const length = Math.min(chunkBytes, end + 1 - position)
      const { bytesRead, buffer } = await file.read(
        Buffer.allocUnsafeSlow(length),
        0,
        length,
        position,
      )
      if (bytesRead === 0) throw new Error('file is shorter than its recorded size')
      position += bytesRead
      controller.enqueue(buffer.subarray(0, bytesRead))
    }
    if (position <= end) return
    await file.close()
    controller.close()
  }
  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) =>
        next(controller).catch(async (thrown) => {
          await file.close()
          throw thrown
        }),
      cancel: () => file.close(),
    },
    { highWaterMark: 2 },
  )
}

/**
 * Creates a directory with its parents and syncs each parent, so that it survives a power failure.
 */
async function makeDurableDirectory(path: string) {
  const first = await mkdir(path, { recursive: true })
  if (first === undefined) return
  for (let created = path; created.length >= first.length; created = dirname(created))
    await syncDirectory(dirname(created))
}

async function syncDirectory(directory: string) {
  await using handle = await open(directory)
  await handle.sync()
}

const isMissing = (thrown: NodeJS.ErrnoException) => thrown.code === 'ENOENT'

function nullIfMissing(thrown: NodeJS.ErrnoException): null {
  if (isMissing(thrown)) return null
  throw thrown
}
