import { describe, expect, test } from 'vitest'
import { docx, pdf, xlsx } from '../../tests/support/corpus/documents.ts'
import { drawText, encodePng, encodeTiff } from '../../tests/support/corpus/picture.ts'
import { textEntry, zip } from '../../tests/support/corpus/zip.ts'
import { contentDisposition } from './content-disposition.ts'
import { displayName } from './file.ts'
import { sampleBytes, sniff } from './sniff.ts'

const office = 'application/vnd.openxmlformats-officedocument'
const utf8 = (text: string) => new TextEncoder().encode(text)
const big = crypto.getRandomValues(new Uint8Array(65_536))

describe('content type detection', () => {
  const cases: [string, Uint8Array | Promise<Uint8Array>, string, string][] = [
    ['a PDF', pdf(['x']), 'a.txt', 'application/pdf'],
    ['a Word document', docx(['x'], []), 'a.zip', `${office}.wordprocessingml.document`],
    ['a sheet', xlsx(''), 'a.docx', `${office}.spreadsheetml.sheet`],
    [
      'a Word document after a large picture',
      zip([{ name: 'word/media/1', bytes: big }, textEntry('word/document.xml', '')]),
      'a',
      `${office}.wordprocessingml.document`,
    ],
    ['an archive', zip([textEntry('a/word/x.txt', '')]), 'a.docx', 'application/zip'],
    ['a picture', encodePng(drawText('T')), 'a.html', 'image/png'],
    [
      'a picture with its directory at the end',
      encodeTiff(drawText('中日王田')),
      'a.tif',
      'image/tiff',
    ],
    ['text', utf8('借条'), 'a.bin', 'text/plain'],
    ['text that calls itself a PDF', utf8('借条'), 'a.pdf', 'text/plain'],
    ['Markdown by its name', utf8('# x'), 'README.MD', 'text/markdown'],
    ['a table by its name', utf8('a,b'), 'a.csv', 'text/csv'],
    ['text that calls itself a page', utf8('x'), 'a.html', 'text/html'],
    ['a page that calls itself a table', utf8('<html><body>'), 'a.csv', 'text/html'],
    ['XML', utf8('<?xml version="1.0"?><a/>'), 'a.txt', 'application/xml'],
    [
      'a drawing behind comments',
      utf8('\ufeff<!-- <html> --><!DOCTYPE svg PUBLIC "x">\n<svg>'),
      'a',
      'image/svg+xml',
    ],
    ['text with a control character', utf8('a\x01b'), 'a.txt', 'application/octet-stream'],
    ['nothing', utf8(''), 'a', 'application/octet-stream'],
  ]
  test.each(cases)('%s', async (_, bytes, filename, expected) => {
    expect(await sniff((await bytes).subarray(0, sampleBytes), filename)).toBe(expected)
  })

  test('text cut within a character is detected as text', async () => {
    const text = utf8('借'.repeat(100))
    for (const size of [297, 298, 299]) {
      expect(await sniff(text.subarray(0, size), 'a')).toBe('text/plain')
    }
  })
})

test('display names contain no path and no control characters', () => {
  expect(displayName('a/b\\c.txt')).toBe('c.txt')
  expect(displayName('a\r\nX-Evil: 1')).toBe('aX-Evil: 1')
  expect(displayName('借'.repeat(300))).toBe('借'.repeat(255))
  expect(displayName('😀'.repeat(300))).toBe('😀'.repeat(255))
  expect(displayName(undefined)).toBe('file')
  expect(displayName('folder/')).toBe('file')
})

test('Content-Disposition encodes any filename', () => {
  expect(contentDisposition('a.pdf', 'application/pdf')).toBe(
    `inline; filename="a.pdf"; filename*=UTF-8''a.pdf`,
  )
  expect(contentDisposition(`"a\\b%20'(1)*;.html`, 'text/html')).toBe(
    `attachment; filename="_a_b_20'(1)*;.html"; filename*=UTF-8''%22a%5Cb%2520%27%281%29%2A%3B.html`,
  )
})
