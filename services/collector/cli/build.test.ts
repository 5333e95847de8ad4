import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { build } from './build.cli.ts'

const directory = mkdtempSync(join(tmpdir(), 'legal-suite-build-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const buildFrom = (from: string, out: string) =>
  build({
    from: join(directory, from),
    out: join(directory, out),
    packageId: undefined,
    kb: 'sys_statutes',
    version: '2026-02-01',
  })

const mirrored = (id: string, effective: string, status: string, text: string) => `---
id: ${id}
title: 中华人民共和国镜法
publication_date: '1999-01-01'
effective_date: '${effective}'
status: ${status}
---

第一章　总则

- **第一条**　　有下列情形之一的：

  - （一）${text}；
`

test('builds linked editions from the Markdown of the national database', async () => {
  mkdirSync(join(directory, 'mirror'))
  const write = (id: string, ...rest: [string, string, string]) =>
    writeFileSync(join(directory, 'mirror', `${id}.md`), mirrored(id, ...rest))
  write('a1', '2000-01-01', '已修改', '甲')
  write('a2', '2010-07-01', '有效', '乙')
  await buildFrom('mirror', 'mirrored')
  const { documents } = JSON.parse(
    readFileSync(join(directory, 'mirrored/data/documents.json'), 'utf8'),
  )
  expect(documents.map((each: any) => [each.document_id, each.metadata])).toEqual([
    [
      'a1',
      {
        law: {
          title: '中华人民共和国镜法',
          effective_from: '2000-01-01',
          effective_to: '2010-06-30',
          status: 'amended',
        },
        publication_date: '1999-01-01',
      },
    ],
    [
      'a2',
      {
        law: {
          title: '中华人民共和国镜法',
          effective_from: '2010-07-01',
          status: 'in_force',
        },
        publication_date: '1999-01-01',
      },
    ],
  ])
  const text = readFileSync(join(directory, 'mirrored/data/texts/0001.md'), 'utf8')
  expect(text).toBe('第一章　总则\n\n第一条 有下列情形之一的：\n\n（一）甲；\n')
})

test.each([
  ['laws.jsonl', (text: string) => text],
  ['laws.jsonl.gz', (text: string) => gzipSync(text)],
])('builds one chunk per article with its path from %s', async (name, encode) => {
  const line = {
    id: 'x',
    title: '中华人民共和国行法',
    author: '全国人大',
    published: '2020-01-01',
    effective: '2021-01-01',
    status: 'in force',
    group: '法律',
    articles: [
      { article: '第一条', path: ['第一编 总则', '第一章 一般'], text: '甲。\n一、乙' },
      { article: '第二条', path: [], text: `丙${'长'.repeat(1_500)}` },
      { article: null, path: [], text: '附' },
    ],
  }
  writeFileSync(join(directory, name), encode(`${JSON.stringify(line)}\n`))
  const out = `lines_${name.length}`
  await buildFrom(name, out)
  const { documents } = JSON.parse(
    readFileSync(join(directory, out, 'data/documents.json'), 'utf8'),
  )
  const { chunks, metadata } = documents[0]
  expect(metadata).toMatchObject({ issuer: '全国人大', publication_date: '2020-01-01' })
  expect(chunks[0]).toEqual({
    chunk_index: 0,
    section_id: '第一编/第一章/第一条',
    content: '第一条 甲。\n一、乙',
    metadata: { heading: '第一编 总则 / 第一章 一般' },
  })
  expect(chunks.map((each: any) => each.section_id)).toEqual([
    ...['第一编/第一章/第一条', '第二条', '第二条', undefined],
  ])
})

test('the heading of the next part is no paragraph of the article before it', async () => {
  const texts = [
    '甲。\n二、交付、验收\n（一）交付',
    '乙：\n（一）丙；\n（二）丁。',
    '戊：\n一、己\n二、庚',
  ]
  const articles = texts.map((text, index) => ({ article: `第${'一二三'[index]}条`, text }))
  const line = { id: 'x', title: '样例解释', effective: '2021-01-01', status: 'in force', articles }
  writeFileSync(join(directory, 'parts.jsonl'), JSON.stringify(line))
  await buildFrom('parts.jsonl', 'parts')
  const { documents } = JSON.parse(
    readFileSync(join(directory, 'parts/data/documents.json'), 'utf8'),
  )
  expect(documents[0].chunks.map((each: any) => each.content)).toEqual([
    '第一条 甲。',
    '第二条 乙：\n（一）丙；\n（二）丁。',
    '第三条 戊：\n一、己\n二、庚',
  ])
})

test('build names the invalid line of a file', async () => {
  writeFileSync(join(directory, 'broken.jsonl'), '{"id": "x"}\n')
  await expect(buildFrom('broken.jsonl', 'b')).rejects.toMatchObject({
    data: { issues: [{ message: expect.stringContaining('line 1: title') }] },
  })
})

const writeLaws = (folder: string, texts: Record<string, string>) => {
  mkdirSync(join(directory, folder))
  for (const [name, text] of Object.entries(texts)) {
    writeFileSync(join(directory, folder, `${name}.md`), text)
  }
}

test.each([
  ['that is not closed', '---\nid: x\nstatus: 已废止\n第一条 甲。', 'no closing ---'],
  ['that is not YAML', '---\nid: [\n---\n第一条 甲。', 'x.md'],
  ['that is a list', '---\n- id\n---\n第一条 甲。', 'front matter'],
  ['with an unknown status', '---\nstatus: 作废\n---\n第一条 甲。', 'status: Must be one of 有效'],
  [
    'with a day that does not exist',
    '---\neffective_date: 2023-02-30\n---\n第一条 甲。',
    'YYYY-MM-DD',
  ],
])('front matter %s is refused by name', async (condition, text, message) => {
  const folder = `refused_${condition.replaceAll(' ', '_')}`
  writeLaws(folder, { x: text })
  const refused = await buildFrom(folder, 'refused').catch((error) => error)
  expect(JSON.stringify(refused.data)).toContain(message)
  expect(refused.data.issues).toMatchObject([{ path: 'x.md' }])
})

test('a law without status is linked by its days', async () => {
  const law = (day: string) => `---\ntitle: 无状态法\neffective_date: ${day}\n---\n第一条 ${day}。`
  writeLaws('stateless', { old: law('2001-01-01'), new: law('2011-01-01') })
  await buildFrom('stateless', 'stateless_package')
  const { documents } = JSON.parse(
    readFileSync(join(directory, 'stateless_package/data/documents.json'), 'utf8'),
  )
  expect(documents.map(({ metadata }: any) => metadata.law.effective_to)).toEqual([
    undefined,
    '2010-12-31',
  ])
})

test('an edition that occurs twice is stored once, two texts of one day are reported', async () => {
  writeLaws('twice', {
    a: mirrored('a', '2000-01-01', '有效', '甲'),
    b: mirrored('b', '2000-01-01', '有效', '甲'),
    c: mirrored('c', '2000-01-01', '有效', '乙'),
  })
  const { documents } = await buildFrom('twice', 'twice_package')
  expect(documents.map(({ document_id, warnings }) => [document_id, warnings])).toEqual([
    ['a', ['Stored once: b has the same day and text.']],
    ['c', ['In force from the same day as a.']],
  ])
  const listing = JSON.parse(
    readFileSync(join(directory, 'twice_package/data/documents.json'), 'utf8'),
  )
  expect(listing.documents.map((each: any) => each.document_id)).toEqual(['a', 'c'])
})
