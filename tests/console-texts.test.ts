import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import en from '../services/gateway/console/text/en.ts'
import zh from '../services/gateway/console/text/zh.ts'

const sources = globSync('services/gateway/console/**/*.{ts,tsx}')
  .filter((file) => !file.includes('/text/'))
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n')

/** Prefixes of keys that are completed by a value of the API: `translate('status', …)`, a template. */
const prefixes = [
  ...sources.matchAll(/translate\(\s*'([\w.]+)'/g),
  ...sources.matchAll(/`([\w.]+)\.\$\{/g),
].map(([, prefix]) => `${prefix}.`)

test('every text of the console has both languages and the same values in them', () => {
  expect(Object.keys(zh).sort()).toEqual(Object.keys(en).sort())
  const valuesIn = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort()
  for (const [key, text] of Object.entries(en)) {
    expect(valuesIn(zh[key as keyof typeof zh]), key).toEqual(valuesIn(text))
  }
})

test('every text of the console is used', () => {
  const unused = Object.keys(en).filter(
    (key) => !sources.includes(`'${key}'`) && !prefixes.some((prefix) => key.startsWith(prefix)),
  )
  expect(unused).toEqual([])
})

test('no Chinese text of the console is left in English', () => {
  const names = /API|PDF|DOCX|JSON|Markdown|Tab/g
  const english = Object.entries(zh).filter(([, text]) =>
    /[A-Za-z]{3}/.test(text.replaceAll(names, '').replaceAll(/\{\w+\}/g, '')),
  )
  expect(english).toEqual([])
})
