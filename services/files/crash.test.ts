import { afterAll, describe, expect, test } from 'vitest'
import { newDatabase } from '../../tests/support/databases.ts'
import { encodeForm, newDirectory } from '../../tests/support/files.ts'
import { startProcess } from '../../tests/support/runtimes.ts'
import { startS3 } from '../../tests/support/s3.ts'
import { makeSql } from '../_kit/sql/sql.ts'
import files from './service.ts'

const key = 'a-key-for-tests-only'
const headers = { 'x-user-id': 'ann', 'x-organization-id': 'acme', 'x-internal-api-key': key }

const s3 = await startS3()
if (typeof s3 === 'string') console.warn(`skipped: ${s3}`)
const directory = newDirectory()
const storages = [
  { name: 'a directory', ...directory },
  ...(typeof s3 === 'string'
    ? []
    : [
        {
          name: 'S3',
          variables: { FILES_STORAGE: 's3', ...s3.variables },
          list: s3.list,
          drop: s3.stop,
        },
      ]),
]
afterAll(async () => {
  for (const { drop } of storages) await drop()
})

describe.each(storages)(
  'after kill -9 the sweep removes orphaned objects in $name',
  ({ variables, list }) => {
    async function scene() {
      const database = await newDatabase('postgres')
      const env = {
        ENVIRONMENT: 'test',
        INTERNAL_API_KEY: key,
        DATABASE_URL: database.url,
        ...variables,
      }
      const start = () => startProcess('node', files, env, {})
      const sql = makeSql(database.driver)
      /** Makes orphans due and runs the sweep in another process. */
      async function dayAfter() {
        await sql`update files.orphaned_objects set due_at = due_at - interval '1 day'`
        const next = await start()
        await next.tick()
        await next.close()
      }
      return { database, start, sql, dayAfter }
    }

    test('a kill during an upload leaves no object after the sweep', async () => {
      const { database, start, sql, dayAfter } = await scene()
      const service = await start()
      const sent = Promise.withResolvers<void>()
      const body = new ReadableStream({
        async start(controller) {
          const text = new TextEncoder()
          controller.enqueue(
            text.encode('--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'),
          )
          for (let n = 0; n < 10; n++) controller.enqueue(new Uint8Array(2 * 1024 * 1024))
          while ((await list()).length === 0) await new Promise((go) => setTimeout(go, 20))
          sent.resolve()
        },
      })
      const upload = fetch(`http://${service.address}/api/v1/files/upload`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'multipart/form-data; boundary=b' },
        body,
        duplex: 'half',
      } as RequestInit).catch(() => null)
      await sent.promise
      service.process.signal('SIGKILL')
      expect(await upload).toBeNull()
      await service.close()
      expect(await list()).not.toEqual([])
      await dayAfter()
      expect(await list()).toEqual([])
      expect(await sql`select file_id from files.files`).toEqual([])
      await database.drop()
    })

    test('a kill between storing the object and inserting its row leaves no object after the sweep', async () => {
      const { database, start, sql, dayAfter } = await scene()
      const service = await start()
      const { raw, headers: type } = await encodeForm({ bytes: 'all of it' })
      await sql.transaction(async (tx) => {
        await tx`lock table files.files in access exclusive mode`
        const upload = service
          .fetch(
            new Request('http://test/api/v1/files/upload', {
              method: 'POST',
              headers: { ...headers, ...type },
              body: raw as BodyInit,
            }),
          )
          .catch(() => null)
        while (!(await list()).some((name) => !name.startsWith('files.'))) {
          await new Promise((go) => setTimeout(go, 20))
        }
        service.process.signal('SIGKILL')
        expect(await upload).toBeNull()
      })
      await service.close()
      expect(await list()).toHaveLength(1)
      await dayAfter()
      expect(await list()).toEqual([])
      expect(await sql`select file_id from files.files`).toEqual([])
      expect(await sql`select storage_key from files.orphaned_objects`).toEqual([])
      await database.drop()
    })
  },
)
