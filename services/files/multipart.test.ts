import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formParts, lastPartSize, parseBoundary, readAtMost } from './multipart.ts'

const latin1Bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))

/** Splits the bytes into chunks of the given sizes. */
async function* inPieces(bytes: Uint8Array, sizes: number[]) {
  let at = 0
  for (const size of sizes) {
    yield bytes.slice(at, at + size)
    at += size
  }
  if (at < bytes.length) yield bytes.slice(at)
}

async function read(bytes: Uint8Array, boundary: string, sizes: number[] = []) {
  const parts: { name: string; filename: string | undefined; content: string }[] = []
  for await (const { name, filename, body } of formParts(inPieces(bytes, sizes), boundary)) {
    const content = (await readAtMost(body, Number.MAX_SAFE_INTEGER))!
    parts.push({ name, filename, content: Buffer.from(content).toString('latin1') })
  }
  return parts
}

const form = (boundary: string, contents: string[]) =>
  latin1Bytes(
    [...contents.map((content, n) => part(boundary, `p${n}`, content)), `--${boundary}--\r\n`].join(
      '',
    ),
  )

const part = (boundary: string, name: string, content: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`

test('the size of the last part follows from the length of the form', async () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 50 })
  const contents = fc.array(fc.string({ unit: fc.constantFrom('x', '-', '\n') }), { minLength: 1 })
  await fc.assert(
    fc.asyncProperty(contents, sizes, async (contents, sizes) => {
      const bytes = form('b0', contents)
      const expected: (number | undefined)[] = []
      for await (const { offset } of formParts(inPieces(bytes, sizes), 'b0'))
        expected.push(lastPartSize(bytes.length, offset, 'b0'))
      expect(expected.at(-1)).toBe(contents.at(-1)!.length)
      expect(lastPartSize(undefined, 10, 'b0')).toBeUndefined()
      expect(lastPartSize(5, 10, 'b0')).toBeUndefined()
    }),
  )
})

describe('a form', () => {
  const boundary = fc.stringMatching(/^[A-Za-z0-9'()+_,./:=?-]{1,20}$/)
  /** Content with many parts of a boundary. */
  const content = (boundary: string) =>
    fc
      .array(
        fc.oneof(
          fc.constantFrom('\r', '\n', '--', '\r\n', '\r\n-', '\r\n--', boundary.slice(0, -1), 'x'),
          fc.string({ unit: 'binary-ascii' }),
        ),
        { maxLength: 30 },
      )
      .map((pieces) => pieces.join(''))
      .filter((text) => !`\r\n${text}\r\n`.includes(`\r\n--${boundary}`))

  test('a form is parsed equally for any split into chunks', async () => {
    const arbitrary = boundary.chain((boundary) =>
      fc.record({
        boundary: fc.constant(boundary),
        contents: fc.array(content(boundary), { minLength: 1, maxLength: 4 }),
        sizes: fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 200 }),
      }),
    )
    await fc.assert(
      fc.asyncProperty(arbitrary, async ({ boundary, contents, sizes }) => {
        const parts = await read(form(boundary, contents), boundary, sizes)
        expect(parts.map((part) => part.content)).toEqual(contents)
      }),
      { numRuns: 500 },
    )
  })

  test('a form is parsed equally when it arrives byte by byte', async () => {
    const bytes = form('b', ['\r\n--a', '', '--b', '\r\r\n\n--', 'x'.repeat(100)])
    const parts = await read(bytes, 'b')
    expect(parts).toHaveLength(5)
    expect(await read(bytes, 'b', Array(bytes.length).fill(1))).toEqual(parts)
  })

  test('a form is parsed like Response.formData()', async () => {
    const sent = new FormData()
    sent.set('purpose', 'evidence')
    sent.set('file', new Blob([crypto.getRandomValues(new Uint8Array(60_000))]), '证据 "一".pdf')
    const response = new Response(sent)
    const boundary = parseBoundary(response.headers.get('content-type')!)!
    const [purpose, file] = await read(await response.bytes(), boundary, [1, 50_000, 3, 2])
    expect(purpose).toEqual({ name: 'purpose', filename: undefined, content: 'evidence' })
    expect(file!.filename).toBe('证据 "一".pdf')
    const blob = sent.get('file') as Blob
    expect(file!.content).toBe(Buffer.from(await blob.arrayBuffer()).toString('latin1'))
  })

  test('a form may have a preamble and an epilogue', async () => {
    const bytes = latin1Bytes(`preamble\r\n${String.fromCharCode(...form('b', ['x']))}epilogue --b`)
    expect(await read(bytes, 'b')).toHaveLength(1)
  })

  test('a form may have unread parts', async () => {
    const names: string[] = []
    for await (const { name } of formParts(inPieces(form('b', ['1', '2', '3']), [7]), 'b'))
      names.push(name)
    expect(names).toEqual(['p0', 'p1', 'p2'])
  })

  test('a form accepts quoted, bare and extended filenames', async () => {
    const readFirstPart = async (parameters: string) => {
      const bytes = latin1Bytes(
        `--b\r\ncontent-disposition: form-data; ${parameters}\r\n\r\n\r\n--b--`,
      )
      return (await read(bytes, 'b'))[0]
    }
    expect(await readFirstPart('name="file"; filename="a;b.txt"')).toMatchObject({
      filename: 'a;b.txt',
    })
    expect(
      await readFirstPart(`name="file"; filename="_"; filename*=UTF-8''%E5%80%9F.txt`),
    ).toMatchObject({
      filename: '借.txt',
    })
    expect(await readFirstPart('name=file; filename=a.txt')).toMatchObject({
      name: 'file',
      filename: 'a.txt',
    })
    await expect(readFirstPart(`name="file"; filename*=UTF-8''%ff`)).rejects.toThrow(
      'not valid UTF-8',
    )
  })

  test.each([
    ['--b\r\nContent-Disposition: form-data; name="p"\r\n\r\nx', 'ends before'],
    ['--b\r\nContent-Disposition: form-data; name="p"', 'ends before'],
    ['', 'ends before'],
    ['--bx\r\n\r\n\r\n--b--', 'line break'],
    ['--b\r\n\r\nx\r\n--b--', 'no name'],
    [`--b\r\nX: ${'x'.repeat(20_000)}\r\n\r\n\r\n--b--`, 'exceeds 16 KiB'],
  ])('a malformed form is rejected: %.20s', async (text, message) => {
    await expect(read(latin1Bytes(text), 'b')).rejects.toThrow(message)
  })
})

describe('a boundary', () => {
  test.each([
    ['multipart/form-data; boundary=abc', 'abc'],
    ['Multipart/Form-Data;charset=utf-8; boundary="a b:c"', 'a b:c'],
    [
      'multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxk',
      '----WebKitFormBoundary7MA4YWxk',
    ],
    ['application/json', undefined],
    ['multipart/mixed; boundary=abc', undefined],
    [undefined, undefined],
  ])('the boundary of %s is %s', (contentType, expected) => {
    expect(parseBoundary(contentType)).toBe(expected)
  })

  test.each([
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary="a\tb"',
    `multipart/form-data; boundary=${'x'.repeat(71)}`,
  ])('%s has no boundary', (contentType) => {
    expect(() => parseBoundary(contentType)).toThrow('no valid boundary')
  })
})
