import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { lawKey } from '../../../services/knowledge/law/numerals.ts'

export interface Edition {
  title: string
  published: string
  effective: string
  status: 'in force' | 'amended' | 'repealed' | 'not yet in force'
  /** Texts by article. A few documents number an article twice: the decision and the law itself. */
  articles: Map<string, string[]>
}

/** Editions of each law by its key. `（一）` and `（二）` are part of the key. */
export type Laws = Map<string, Edition[]>

/** Day on which the content of the seeds was checked against the law. */
export const checkedOn = '2026-11-15'

export const excerptFile = resolve('tests/fixtures/laws.jsonl')

/** Key under which a law is found: without the name of the country, quotation marks and spaces. */
export const titleKey = (title: string) =>
  lawKey(title.replace(/[《》〈〉\s]/g, '').replaceAll('中华人民共和国', ''))

/** Reads the national database, or returns the reason why it cannot be read. */
export function loadDatabase(): Laws | string {
  const file = resolve(process.env.LEGAL_SUITE_DATA ?? '../shared/data', 'laws.jsonl.gz')
  if (!existsSync(file)) return 'LEGAL_SUITE_DATA names no directory with laws.jsonl.gz'
  const lines = gunzipSync(readFileSync(file)).toString().split('\n').filter(Boolean)
  return groupByTitle(
    lines.map((line) => {
      const { title, published, effective, status, articles } = JSON.parse(line)
      const texts = new Map<string, string[]>()
      for (const { article, text } of articles) {
        if (article) texts.set(article, [...(texts.get(article) ?? []), text])
      }
      return { title, published, effective, status, articles: texts }
    }),
  )
}

/** Reads the excerpt: a line for each edition, followed by a line for each article of it. */
export function loadExcerpt(): Laws {
  const editions: Edition[] = []
  for (const line of readFileSync(excerptFile, 'utf8').split('\n').filter(Boolean)) {
    const value = JSON.parse(line)
    if (Array.isArray(value)) editions.at(-1)!.articles.set(value[0], value.slice(1))
    else editions.push({ ...value, articles: new Map() })
  }
  return groupByTitle(editions)
}

function groupByTitle(editions: Edition[]): Laws {
  const laws: Laws = new Map()
  for (const edition of editions) {
    const key = titleKey(edition.title)
    laws.set(key, [...(laws.get(key) ?? []), edition])
  }
  for (const all of laws.values()) {
    all.sort((a, b) => a.effective.localeCompare(b.effective))
  }
  return laws
}

/**
 * Edition that is in force on a day: the newest by then. The last edition of a title that is repealed,
 * or amended under another title, is in force no more.
 */
export function inForceOn(laws: Laws, title: string, day: string): Edition | undefined {
  const all = laws.get(titleKey(title)) ?? []
  const edition = all.filter(({ effective }) => effective <= day).at(-1)
  const ended = edition === all.at(-1) && /^(?:repealed|amended)$/.test(edition?.status ?? '')
  return ended ? undefined : edition
}

/** Edition that a citation means: the one in force on a day, of a former law its last. */
export const editionFor = (laws: Laws, title: string, former: boolean | undefined, day: string) =>
  former ? newestEdition(laws, title) : inForceOn(laws, title, day)

/** Newest edition of all, in force or not. */
export const newestEdition = (laws: Laws, title: string): Edition | undefined =>
  laws.get(titleKey(title))?.at(-1)
