import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { writeBundle } from './bundle.ts'
import { ensureSuite, suiteObjects } from './suite.ts'

beforeAll(ensureSuite)

test('a support bundle has objects, events and logs, and no value of a Secret', async () => {
  const folder = await writeBundle('bundle')
  const files = readdirSync(folder)
  for (const part of ['-objects.yaml', '-events.txt', '-secrets.json'])
    expect(files.some((file) => file.endsWith(part))).toBe(true)
  expect(files.filter((file) => /-demo-matter-.*\.log$/.test(file))).not.toEqual([])
  const secrets = await (await suiteObjects()).list('Secret')
  const values = secrets.flatMap(({ data = {} }) => Object.values(data as Record<string, string>))
  expect(values.length).toBeGreaterThan(3)
  const decoded = values.map((value) => Buffer.from(value, 'base64').toString())
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8'))
  for (const value of [...values, ...decoded].filter(({ length }) => length > 8))
    expect(texts.some((text) => text.includes(value))).toBe(false)
})
