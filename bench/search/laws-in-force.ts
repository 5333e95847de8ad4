import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** Title without the country's name, quotation marks and the year of the edition. */
export const titleKey = (title: string) =>
  title
    .normalize('NFKC')
    .replace(/\(\d{4}年?[^)]*\)/g, '')
    .replace(/[《》〈〉<>"“”\s]/g, '')
    .replaceAll('中华人民共和国', '')

/**
 * Predicate: true for the title of a law that has an edition in force. Titles that are no law, and laws
 * that were repealed, are false. Returns the reason if the data is missing.
 */
export function readLawsInForce(): ((title: string) => boolean) | string {
  const file = resolve(process.env.LEGAL_SUITE_DATA ?? '../shared/data', 'laws.jsonl.gz')
  if (!existsSync(file)) return 'no laws: LEGAL_SUITE_DATA names no directory with laws.jsonl.gz'
  const titles = new Set<string>()
  for (const line of gunzipSync(readFileSync(file)).toString().trim().split('\n')) {
    const { title, status } = JSON.parse(line)
    if (status === 'in force') titles.add(titleKey(title))
  }
  return (title) => titles.has(titleKey(title))
}
