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

test('build names the invalid line of a file', async () => {
  writeFileSync(join(directory, 'broken.jsonl'), '{"id": "x"}\n')
  await expect(buildFrom('broken.jsonl', 'b')).rejects.toMatchObject({
    data: { issues: [{ message: expect.stringContaining('line 1: title') }] },
  })
})
