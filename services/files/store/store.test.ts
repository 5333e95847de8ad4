import * as fc from 'fast-check'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { newDirectory } from '../../../tests/support/files.ts'
import { freePort } from '../../../tests/support/free-port.ts'
import { startS3 } from '../../../tests/support/s3.ts'
import { fsStore } from './fs.node.ts'
import { splitParts } from './parts.ts'
import { s3Store } from './s3.ts'
import type { Store } from './store.ts'
import { streamBody } from './stream-body.node.ts'

const MiB = 1024 * 1024
const s3 = await startS3()
if (typeof s3 === 'string') console.warn(`skipped: ${s3}`)
const directory = newDirectory()
afterAll(async () => {
  await directory.drop()
  if (typeof s3 !== 'string') await s3.stop()
})

const s3Config =
  typeof s3 === 'string'
    ? undefined
    : {
        endpoint: s3.variables.S3_ENDPOINT!,
        region: 'us-east-1',
        bucket: s3.bucket,
        accessKeyId: s3.variables.S3_ACCESS_KEY_ID!,
        secretAccessKey: s3.variables.S3_SECRET_ACCESS_KEY!,
        forcePathStyle: true,
      }

const stores: [string, Store | undefined, () => Promise<string[]>][] = [
  ['the directory', fsStore(directory.directory), directory.list],
  ['S3', s3Config && s3Store(s3Config), async () => (typeof s3 === 'string' ? [] : s3.list())],
]

async function* of(...chunks: Uint8Array[]) {
  yield* chunks
}
const newKey = () => `files/${crypto.randomUUID()}`
const noise = (size: number) =>
  Uint8Array.from({ length: size }, (_, n) => Math.imul(n, 0x9e3779b1) >>> 24)

describe.each(stores)('%s', (_, maybe, list) => {
  const store = maybe!
  const read = async (key: string, range?: { start: number; end: number }) =>
    new Response(await store.get(key, range)).bytes()

  test.runIf(maybe)('an object is returned in whole and by range', async () => {
    const key = newKey()
    const bytes = noise(700_000)
    expect(await store.put(key, of(bytes.slice(0, 10), bytes.slice(10)))).toBe(700_000)
    expect(await store.size(key)).toBe(700_000)
    expect(Buffer.compare(await read(key), bytes)).toBe(0)
    for (const [start, end] of [
      [0, 0],
      [1, 262_144],
      [262_143, 262_145],
      [699_999, 699_999],
    ] as const) {
      expect(Buffer.compare(await read(key, { start, end }), bytes.subarray(start, end + 1))).toBe(
        0,
      )
    }
    await store.remove(key)
  })

  test.runIf(maybe)('an empty object can be stored', async () => {
    const key = newKey()
    expect(await store.put(key, of())).toBe(0)
    expect([await store.size(key), (await read(key)).length]).toEqual([0, 0])
    await store.remove(key)
  })

  test.runIf(maybe)('an object larger than one part can be stored', async () => {
    const key = newKey()
    const chunk = noise(MiB)
    expect(await store.put(key, of(...Array<Uint8Array>(25).fill(chunk), chunk.slice(0, 5)))).toBe(
      25 * MiB + 5,
    )
    const bytes = await read(key)
    expect(bytes.length).toBe(25 * MiB + 5)
    for (let n = 0; n < 25; n++) {
      expect(Buffer.compare(bytes.subarray(n * MiB, (n + 1) * MiB), chunk)).toBe(0)
    }
    await store.remove(key)
  })

  test.runIf(maybe)('an unknown key has no object, no size and cannot be copied', async () => {
    const key = newKey()
    expect(await store.get(key)).toBeNull()
    expect(await store.size(key)).toBeNull()
    expect(await store.copy(key, newKey())).toBe(false)
    await store.remove(key)
  })

  test.runIf(maybe)('put replaces an object atomically', async () => {
    const key = newKey()
    await store.put(key, of(noise(100)))
    const before = await store.get(key)
    await store.put(key, of(noise(50)))
    expect((await new Response(before).bytes()).length).toBe(100)
    expect((await read(key)).length).toBe(50)
    await store.remove(key)
  })

  test.runIf(maybe)('a copy is independent of its original', async () => {
    const [from, to] = [newKey(), newKey()]
    await store.put(from, of(noise(100)))
    expect(await store.copy(from, to)).toBe(true)
    await store.put(from, of(noise(7)))
    await store.remove(from)
    expect(await store.size(to)).toBe(100)
    await store.remove(to)
    expect(await store.size(to)).toBeNull()
  })

  test.runIf(maybe)('a failed write stores nothing and passes its error on', async () => {
    const before = await list()
    async function* failing(size: number) {
      for (let sent = 0; sent < size; sent += MiB) yield noise(MiB)
      throw new Error('cut off')
    }
    for (const size of [0, MiB, 20 * MiB]) {
      await expect(store.put(newKey(), failing(size))).rejects.toThrow('cut off')
    }
    expect(await list()).toEqual(before)
  })

  test.runIf(maybe)('remove deletes the data of an unfinished write', async () => {
    const before = await list()
    const key = newKey()
    const stuck = Promise.withResolvers<void>()
    stuck.promise.catch(() => {})
    async function* endless() {
      for (let n = 0; n < 20; n++) yield noise(MiB)
      await stuck.promise
    }
    const writing = store.put(key, endless()).catch(() => {})
    while ((await list()).length === before.length) await new Promise((go) => setTimeout(go, 20))
    // A part in flight may arrive after the removal; the next attempt removes it.
    await vi.waitFor(async () => {
      await store.remove(key)
      expect(await list()).toEqual(before)
    }, 10_000)
    stuck.reject(new Error('over'))
    await writing
  })

  test.runIf(maybe)('check succeeds on an available store', async () => {
    await store.check()
  })
})

describe.runIf(s3Config)('S3 with an announced size', () => {
  if (!s3Config) return
  const store = s3Store(s3Config, streamBody)
  const whole = noise(9 * MiB)
  const pieces = () => of(whole.subarray(0, 5), whole.subarray(5, MiB), whole.subarray(MiB))

  test.each([
    ['is exact', 0],
    ['is two bytes too small', -2],
    ['is much too large', 3 * MiB],
  ])('the object is stored as sent when the size %s', async (_, difference) => {
    const key = newKey()
    expect(await store.put(key, pieces(), whole.length + difference)).toBe(whole.length)
    expect(await store.size(key)).toBe(whole.length)
    expect(Buffer.compare(await new Response(await store.get(key)).bytes(), whole)).toBe(0)
    await store.remove(key)
  })

  test('an empty object is stored when bytes were announced', async () => {
    const key = newKey()
    expect(await store.put(key, of(), 9 * MiB)).toBe(0)
    expect(await store.size(key)).toBe(0)
    await store.remove(key)
  })

  test('a sender that breaks off stores nothing and passes its error on', async () => {
    async function* failing() {
      yield whole.subarray(0, 8 * MiB)
      throw new Error('cut off')
    }
    const key = newKey()
    await expect(store.put(key, failing(), whole.length)).rejects.toThrow('cut off')
    expect(await store.size(key)).toBeNull()
  })
})

test('a directory rejects keys of other shapes', async () => {
  const store = fsStore(directory.directory)
  for (const key of [
    '../x',
    'files/../../x',
    '/etc/passwd',
    'files/x',
    `files/${'.'.repeat(36)}`,
  ]) {
    await expect(store.get(key)).rejects.toThrow('not a storage key')
  }
})

test('an unreachable S3 server gives UPSTREAM_UNAVAILABLE', async () => {
  const endpoint = `http://127.0.0.1:${await freePort()}`
  const place = { region: 'us-east-1', bucket: 'b', forcePathStyle: true, endpoint }
  const store = s3Store({ ...place, accessKeyId: 'a', secretAccessKey: 's' }, streamBody)
  for (const attempt of [
    () => store.get(newKey()),
    () => store.size(newKey()),
    () => store.put(newKey(), of(noise(10))),
    () => store.put(newKey(), of(noise(9 * MiB)), 9 * MiB),
    () => store.remove(newKey()),
  ]) {
    await expect(attempt()).rejects.toMatchObject({ kind: 'UPSTREAM_UNAVAILABLE' })
  }
})

describe.runIf(s3Config)('URLs of S3', () => {
  if (!s3Config) return
  const { urls, ...store } = s3Store(s3Config)

  test('a URL of S3 serves the object with the requested headers', async () => {
    const key = newKey()
    await store.put(key, of(noise(100)))
    const served = { contentType: 'text/html', disposition: 'attachment; filename="a.html"' }
    const url = await urls!.get(key, 60, served)
    const response = await fetch(url)
    expect((await response.bytes()).length).toBe(100)
    expect(response.headers.get('content-type')).toBe('text/html')
    expect(response.headers.get('content-disposition')).toBe(served.disposition)
    expect((await fetch(url.replace(key, newKey()))).status).toBe(403)
    expect((await fetch(url.replace('X-Amz-Expires=60', 'X-Amz-Expires=61'))).status).toBe(403)
  })

  test('a URL of S3 accepts the declared bytes only', async () => {
    const bytes = noise(100)
    const digest = Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex')
    const key = newKey()
    const { url, headers } = await urls!.put(key, 60, { size: 100, sha256: digest })
    const send = (body: Uint8Array<ArrayBuffer>) => fetch(url, { method: 'PUT', body, headers })
    expect((await send(noise(99))).ok).toBe(false)
    expect((await send(noise(101).slice(1))).ok).toBe(false)
    expect(await store.size(key)).toBeNull()
    expect((await send(bytes)).status).toBe(200)
    expect(await store.size(key)).toBe(100)
  })
})

test('parts have equal size and stay valid while in flight', async () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 25 }), { maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(sizes, fc.integer({ min: 1, max: 3 }), async (sizes, inFlight) => {
      const content = noise(sizes.reduce((sum, size) => sum + size, 0))
      const starts = sizes.map((_, n) => sizes.slice(0, n).reduce((sum, size) => sum + size, 0))
      const chunks = sizes.map((size, n) => content.slice(starts[n], starts[n]! + size))
      const parts: { original: Uint8Array; copy: number[]; last: boolean }[] = []
      for await (const { bytes, last } of splitParts(of(...chunks), inFlight, 10)) {
        for (const { original, copy } of parts.slice(-inFlight)) expect([...original]).toEqual(copy)
        parts.push({ original: bytes, copy: [...bytes], last })
      }
      expect(parts.flatMap(({ copy }) => copy)).toEqual([...content])
      expect(parts.slice(0, -1).every(({ copy }) => copy.length === 10)).toBe(true)
      expect(parts.map(({ last }) => last)).toEqual(parts.map((_, n) => n === parts.length - 1))
    }),
  )
})
