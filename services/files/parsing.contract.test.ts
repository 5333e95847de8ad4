import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { docx, pdf, xlsx } from '../../tests/support/corpus/documents.ts'
import { billionLaughs } from '../../tests/support/corpus/hostile.ts'
import { drawText, encodePng } from '../../tests/support/corpus/picture.ts'
import { type FilesStage, type Form, newStorage, stageFiles } from '../../tests/support/files.ts'
import { testProject } from '../../tests/support/stage.ts'

const api = '/api/v1/files'
const internal = '/api/v1/internal/files'

const storage = await newStorage()
if (typeof storage === 'string') console.warn(`skipped: ${storage}`)

describe.skipIf(typeof storage === 'string')('parsing', () => {
  if (typeof storage === 'string') return
  let at: FilesStage
  beforeAll(async () => {
    at = await stageFiles(storage)
  })
  afterAll(async () => {
    await at?.close()
    await storage.drop()
  })

  const uploadAndParse = (form: Form) => at.upload({ ...form, fields: { parse: 'true' } })
  const read = async (fileId: string) => (await at.call('GET', `${internal}/${fileId}`)).data
  const requestParse = (fileId: string, body?: object) =>
    at.call('POST', `${internal}/${fileId}/parse`, { body })
  const report = (fileId: string, parseStatus: string, more: object = {}) =>
    at.call('PUT', `${internal}/${fileId}/parse-status`, { body: { parseStatus, ...more } })
  const text = (fileId: string, path = internal) => at.call('GET', `${path}/${fileId}/text`)

  const withParser = () => {
    test('an upload is parsed in the background', async () => {
      const { data } = await uploadAndParse({ bytes: '借款本金十万元', filename: 'a.txt' })
      expect(data.parseStatus).toBe('PENDING')
      const early = await text(data.fileId)
      expect([early.status, early.data]).toEqual([409, { parseStatus: 'PENDING' }])
      await at.runBackground()
      expect(await read(data.fileId)).toMatchObject({ parseStatus: 'SUCCEEDED', parseError: null })
      for (const path of [internal, api]) {
        expect((await text(data.fileId, path)).data).toEqual({
          text: '借款本金十万元',
          pages: 1,
          language: 'zh',
          truncated: false,
        })
      }
      const ben = { 'x-user-id': 'ben' }
      const other = await at.call('GET', `${api}/${data.fileId}/text`, { headers: ben })
      expect(other.status).toBe(404)
    })

    test('every kind of file reaches a final state', async () => {
      const row = '<row r="1"><c r="A1"><v>7</v></c></row>'
      const forms: [Form, string, string | null][] = [
        [{ bytes: await pdf(['A page']), filename: 'a.pdf' }, 'SUCCEEDED', 'A page'],
        [
          { bytes: await docx(['A paragraph'], []), filename: 'a.docx' },
          'SUCCEEDED',
          'A paragraph',
        ],
        [{ bytes: xlsx(row), filename: 'a.xlsx' }, 'SUCCEEDED', '借款\n7'],
        [{ bytes: encodePng(drawText('THE FILE')), filename: 'a.png' }, 'SUCCEEDED', 'THE FILE'],
        [{ bytes: billionLaughs(), filename: 'a.docx' }, 'FAILED', null],
        [{ bytes: new Uint8Array(64), filename: 'a.docx' }, 'UNSUPPORTED', null],
      ]
      const files = []
      for (const [form] of forms) files.push((await uploadAndParse(form)).data)
      await at.runBackground()
      await at.runBackground()
      for (const [index, [, status, expected]] of forms.entries()) {
        const { fileId } = files[index]
        const { parseStatus, parseError } = await read(fileId)
        expect([files[index].filename, parseStatus]).toEqual([files[index].filename, status])
        if (expected === null) expect(parseError).toMatch(/\w/)
        else expect((await text(fileId)).data.text).toBe(expected)
      }
    })

    test('a parsed file is parsed again only with force', async () => {
      const { fileId } = (await uploadAndParse({ bytes: 'first' })).data
      await at.runBackground()
      expect((await requestParse(fileId)).data).toEqual({ fileId, parseStatus: 'SUCCEEDED' })
      await at.sql`update files.texts set text = 'stale' where file_id = ${fileId}`
      const forced = await requestParse(fileId, { force: true })
      expect([forced.status, forced.data]).toEqual([202, { fileId, parseStatus: 'PENDING' }])
      expect((await text(fileId)).status).toBe(409)
      await at.runBackground()
      expect((await text(fileId)).data.text).toBe('first')
    })

    test('an earlier attempt does not overwrite the result of a later one', async () => {
      const { fileId } = (await uploadAndParse({ bytes: 'one' })).data
      await at.sql`update files.files set parse_attempt = 5 where file_id = ${fileId}`
      await at.runBackground()
      expect((await read(fileId)).parseStatus).toBe('PENDING')
      await requestParse(fileId)
      await at.runBackground()
      expect((await read(fileId)).parseStatus).toBe('SUCCEEDED')
    })

    test('a file whose parse job is dead is FAILED', async () => {
      const { fileId } = (await uploadAndParse({})).data
      await at.sql`
        update files.jobs set status = 'DEAD' where payload ->> 'fileId' = ${fileId}`
      await at.runBackground()
      expect(await read(fileId)).toMatchObject({
        parseStatus: 'FAILED',
        parseError: 'Parsing failed repeatedly.',
      })

      await report(fileId, 'PENDING')
      await at.runBackground()
      expect((await read(fileId)).parseStatus).toBe('PENDING')
      await requestParse(fileId)
      await at.runBackground()
      expect((await read(fileId)).parseStatus).toBe('SUCCEEDED')
    })

    test('a file deleted before parsing is skipped', async () => {
      const { fileId } = (await uploadAndParse({})).data
      await at.call('DELETE', `${api}/${fileId}`)
      await at.runBackground()
      const [job] = await at.sql`
        select status from files.jobs where payload ->> 'fileId' = ${fileId}`
      expect(job).toEqual({ status: 'DONE' })
    })
  }

  const withoutParser = async () => {
    const { fileId } = (await uploadAndParse({})).data
    await at.runBackground()
    expect((await read(fileId)).parseStatus).toBe('PENDING')
    const [job] = await at.sql`
      select status, attempts from files.jobs where payload ->> 'fileId' = ${fileId}`
    expect(job).toEqual({ status: 'PENDING', attempts: 0 })
  }

  if (testProject === 'workerd')
    test('a file stays PENDING on a runtime without a parser', withoutParser)
  else describe('with a parser', withParser)

  test('parsing is enqueued once for repeated requests', async () => {
    const { fileId } = (await at.upload()).data
    const responses = await Promise.all([
      requestParse(fileId),
      requestParse(fileId, {}),
      requestParse(fileId, { force: true }),
    ])
    for (const { status, data } of responses) {
      expect([status, data]).toEqual([202, { fileId, parseStatus: 'PENDING' }])
    }
    const jobs = await at.sql`select id from files.jobs where payload ->> 'fileId' = ${fileId}`
    expect(jobs).toHaveLength(1)
    expect((await requestParse(crypto.randomUUID())).status).toBe(404)
    expect((await requestParse(fileId, { force: 'yes' })).status).toBe(400)
  })

  describe('an external parser', () => {
    test('an external parser reports its progress', async () => {
      const { fileId } = (await at.upload()).data
      for (const status of [
        'PENDING',
        'PROCESSING',
        'PENDING',
        'PROCESSING',
        'SUCCEEDED',
        'SUCCEEDED',
      ]) {
        const { status: code, data } = await report(fileId, status)
        expect([code, data.parseStatus]).toEqual([200, status])
      }
      const failed = await report(fileId, 'FAILED', { parseError: '看不清' })
      expect(failed.data).toMatchObject({ fileId, parseStatus: 'FAILED', parseError: '看不清' })
    })

    test.each(['SUCCEEDED', 'FAILED', 'UNSUPPORTED'])(
      'an external parser can change %s only to PENDING',
      async (end) => {
        const { fileId } = (await at.upload()).data
        await report(fileId, end)
        for (const status of ['NONE', 'PROCESSING']) {
          const { status: code, code: name } = await report(fileId, status)
          expect([code, name]).toEqual([409, 'CONFLICT'])
        }
        expect((await read(fileId)).parseStatus).toBe(end)
        expect((await report(fileId, 'PENDING')).data.parseStatus).toBe('PENDING')
      },
    )

    test('an external parser cannot report an unknown status', async () => {
      const { fileId } = (await at.upload()).data
      expect((await report(fileId, 'DONE')).status).toBe(400)
      expect((await report(crypto.randomUUID(), 'FAILED')).status).toBe(404)
    })
  })
})
