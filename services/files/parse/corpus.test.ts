import { describe, expect, test } from 'vitest'
import { docx, pdf, rawPdf, xlsx } from '../../../tests/support/corpus/documents.ts'
import * as hostile from '../../../tests/support/corpus/hostile.ts'
import { encodeJpeg } from '../../../tests/support/corpus/jpeg.ts'
import {
  drawText,
  encodePng,
  encodeTiff,
  joinTiffs,
} from '../../../tests/support/corpus/picture.ts'
import { sampleBytes, sniff } from '../sniff.ts'
import { childParser } from './parser.node.ts'
import type { ParseOutcome } from './parser.ts'

type Bytes = Uint8Array | Promise<Uint8Array>

const parser = childParser({ timeoutMs: 60_000, memoryMb: 700, processes: 2 })

/** Detects the type and extracts the text, like an upload. */
async function parse(
  makeBytes: Bytes,
  filename = 'file',
  using = parser,
): Promise<ParseOutcome & { type: string }> {
  const bytes = await makeBytes
  const type = await sniff(bytes.subarray(0, sampleBytes), filename)
  const stream = new Response(bytes as BodyInit).body!
  return { type, ...(await using(type, stream, new AbortController().signal)) }
}

const utf8 = (text: string) => new TextEncoder().encode(text)
const office = 'application/vnd.openxmlformats-officedocument'
const word = `${office}.wordprocessingml.document`
const sheet = `${office}.spreadsheetml.sheet`

describe('an ordinary file yields its text', () => {
  const succeedsWith = (
    type: string,
    text: string | RegExp,
    pages: number,
    language: string | null,
  ) => ({
    type,
    status: 'SUCCEEDED',
    text: typeof text === 'string' ? text : expect.stringMatching(text),
    pages,
    language,
    truncated: false,
  })
  // 借款 in GBK.
  const gbk = Uint8Array.of(0xbd, 0xe8, 0xbf, 0xee, 0x0a)
  const wide = new Uint8Array(Buffer.from('\ufeff借款', 'utf16le'))
  const row =
    '<row r="1"><c r="A1" t="inlineStr"><is><t>本金</t></is></c><c r="B1"><v>100000</v></c></row>'

  const ordinary: [name: string, Bytes, filename: string, object][] = [
    [
      'text',
      utf8('借款本金十万元'),
      'a.txt',
      succeedsWith('text/plain', '借款本金十万元', 1, 'zh'),
    ],
    [
      'text with a mark',
      utf8('\ufeffA loan.'),
      'a',
      succeedsWith('text/plain', 'A loan.', 1, 'en'),
    ],
    ['text in GBK', gbk, 'a.txt', succeedsWith('text/plain', '借款\n', 1, 'zh')],
    ['text in UTF-16', wide, 'a.txt', succeedsWith('text/plain', '借款', 1, 'zh')],
    [
      'Markdown',
      utf8('# 借条\n\n*十万*元'),
      'a.md',
      succeedsWith('text/markdown', '# 借条\n\n*十万*元', 1, 'zh'),
    ],
    [
      'a table',
      utf8('name,sum\n张三,1'),
      'a.csv',
      succeedsWith('text/csv', 'name,sum\n张三,1', 1, 'en'),
    ],
    ['nothing', utf8(''), 'a.txt', succeedsWith('text/plain', '', 1, null)],
    [
      'a page',
      utf8(
        '<!doctype html><title>x</title><style>p{}</style><p>甲 &amp; 乙</p><script>1<2</script>丙',
      ),
      'a.html',
      succeedsWith('text/html', 'x\n\n甲 & 乙\n丙', 1, 'zh'),
    ],
    [
      'HTML with > in an attribute and a named entity',
      utf8('<p title="a > b">caf&eacute; &hellip;</p>'),
      'b.html',
      succeedsWith('text/html', 'café …', 1, 'en'),
    ],
    [
      'HTML without the optional tags after its head',
      utf8('<!doctype html><html><head><meta charset="utf-8"><title>借条</title><p>甲'),
      'c.html',
      succeedsWith('text/html', '借条\n\n甲', 1, 'zh'),
    ],
    [
      'a PDF',
      pdf(['First page', 'Second page']),
      'a.pdf',
      succeedsWith('application/pdf', 'First page\fSecond page', 2, 'en'),
    ],
    [
      'a Word document',
      docx(['第一条 本金', 'Interest'], ['甲', '乙']),
      'a.docx',
      succeedsWith(word, /^第一条 本金\n+Interest\n+甲\n+乙$/, 1, 'zh'),
    ],
    ['a sheet', xlsx(row), 'a.xlsx', succeedsWith(sheet, '借款\n本金\t100000', 1, 'zh')],
    [
      'a picture',
      encodePng(drawText('THE FILE TITLE')),
      'a.png',
      succeedsWith('image/png', 'THE FILE TITLE', 1, 'en'),
    ],
    [
      'a photograph',
      encodeJpeg(drawText('THE FILE TITLE')),
      'a.jpg',
      succeedsWith('image/jpeg', 'THE FILE TITLE', 1, 'en'),
    ],
    [
      'a facsimile',
      encodeTiff(drawText('中日王田工三十')),
      'a.tif',
      succeedsWith('image/tiff', '中日王田工三十', 1, 'zh'),
    ],
    [
      'a facsimile of three pages',
      joinTiffs(['THE FILE', 'TITLE', '中日王田工三十'].map((text) => encodeTiff(drawText(text)))),
      'a.tif',
      succeedsWith('image/tiff', 'THE FILE\fTITLE\f中日王田工三十', 3, 'zh'),
    ],
    [
      'a PDF with a scanned page',
      pdf(['First page', drawText('工三王田中日')]),
      'a.pdf',
      succeedsWith('application/pdf', 'First page\f工三王田中日', 2, 'zh'),
    ],
  ]
  test.each(ordinary)('%s', async (_, bytes, filename, expected) => {
    expect(await parse(bytes, filename)).toEqual(expected)
  })
})

describe('a hostile or damaged file ends in FAILED or UNSUPPORTED with a reason', () => {
  const failsWith = (reason: RegExp) => ({
    status: 'FAILED',
    reason: expect.stringMatching(reason),
  })
  const unsupportedWith = (reason: RegExp) => ({
    status: 'UNSUPPORTED',
    reason: expect.stringMatching(reason),
  })
  const password = failsWith(/protected by a password/)

  const files: [name: string, () => Bytes, object][] = [
    ['a zip bomb', hostile.zipBomb, failsWith(/size limit/)],
    ['a zip bomb that lies', hostile.zipBombWithFalseSizes, failsWith(/size limit/)],
    ['a billion laughs', hostile.billionLaughs, failsWith(/entities/)],
    ['a billion laughs in UTF-16', hostile.utf16BillionLaughs, failsWith(/entities/)],
    ['an archive of too many members', hostile.manyEntries, failsWith(/10,000 members/)],
    ['a sheet of 17 billion cells', hostile.sparseSheet, failsWith(/memory|crashed|damaged/)],
    ['a PDF of 10,000 pages', () => hostile.manyPages(10_000), failsWith(/10000 pages/)],
    ['a PDF that unpacks to a gigabyte', hostile.pdfBomb, failsWith(/memory|crashed/)],
    ['a PNG of 50,000 × 50,000', hostile.hugePng, failsWith(/50000 × 50000/)],
    ['a JPEG of 50,000 × 50,000', hostile.hugeJpeg, failsWith(/50000 × 50000/)],
    ['a TIFF whose pages form a cycle', hostile.cyclicTiff, failsWith(/damaged/)],
    ['a TIFF of 50,000 × 50,000', hostile.hugeTiff, failsWith(/50000 × 50000/)],
    ['a PDF with a password', hostile.encryptedPdf, password],
    ['a Word document with a password', hostile.encryptedOffice, password],
    ['an archive with a password', hostile.encryptedZip, password],
    ['a Word document from before 2007', hostile.legacyOffice, unsupportedWith(/before 2007/)],
    ['a PDF in name only', () => utf8('%PDF-1.7\nnothing of the kind'), failsWith(/damaged/)],
    [
      'half a Word document',
      async () => (await docx(['x'], ['y'])).subarray(0, 3_000),
      failsWith(/damaged/),
    ],
    ['half a picture', () => encodePng(drawText('THE')).subarray(0, 200), failsWith(/damaged/)],
    [
      'a program',
      () => Uint8Array.from([0x4d, 0x5a, 0x90, 0, 3, 0, 0, 0]),
      unsupportedWith(/msdownload/),
    ],
    ['an archive of whatever', () => hostile.plainZip(), unsupportedWith(/application\/zip/)],
    ['a drawing', () => utf8('<svg xmlns="http://www.w3.org/2000/svg"/>'), unsupportedWith(/svg/)],
    [
      'noise',
      () => Uint8Array.from({ length: 500 }, (_, n) => (n * 7919) & 255),
      unsupportedWith(/octet-stream/),
    ],
  ]
  test.each(files)('%s', async (_, makeBytes, expected) => {
    expect(await parse(makeBytes())).toMatchObject(expected)
  })

  test('a PDF without pages', async () => {
    const empty = rawPdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Count 0 /Kids [] >>',
    ])
    expect((await parse(empty)).status).not.toBe('UNSUPPORTED')
  })
})

describe('a parser', () => {
  test('a parser is killed when its time limit is exceeded', async () => {
    const hasty = childParser({ timeoutMs: 1_000, memoryMb: 700, processes: 1 })
    const pixels = Uint8Array.from({ length: 9_000_000 }, (_, n) => Math.imul(n, n ^ 40_503) >>> 24)
    const noise = encodeTiff({ width: 3_000, height: 3_000, pixels })
    expect(await parse(noise, 'a.tif', hasty)).toMatchObject({
      status: 'FAILED',
      reason: 'Parsing exceeded the time limit of 1 seconds.',
    })
  })

  test('a parser stops when its signal aborts', async () => {
    const stop = new AbortController()
    const running = parser(
      'text/plain',
      new ReadableStream({ pull: () => new Promise(() => {}) }),
      stop.signal,
    )
    setTimeout(() => stop.abort(new Error('the lease was lost')), 300)
    await expect(running).rejects.toThrow('the lease was lost')
  })

  test('a parser sets truncated for a PDF with an image that is too large to read', async () => {
    const outcome = await parse(hostile.pdfWithHugeImage())
    expect(outcome).toMatchObject({ status: 'SUCCEEDED', text: '', truncated: true })
  })

  test('a parser returns two million characters and sets truncated', async () => {
    const outcome = await parse(utf8('借'.repeat(2_000_001)), 'a.txt')
    expect(outcome).toMatchObject({ status: 'SUCCEEDED', truncated: true })
    expect((outcome as { text: string }).text.length).toBe(2_000_000)
  })
})
