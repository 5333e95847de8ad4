import type { Statement } from './figure-faults.ts'
import { listStatements } from './figures.ts'
import { readSeeds } from './seeds.ts'
import { citedInMarkdown, citedInRecord, parseDigestLine } from './sources.ts'

/** Statements of law in seed records, and each line of a digest with the article that it digests. */
export function statementsInSeeds(): Statement[] {
  const { records, documents } = readSeeds()
  return [
    ...records.map(({ where, record }) => ({
      where,
      words: listStatements(record),
      cited: citedInRecord(record, where),
    })),
    ...documents.flatMap(({ path, text, law }) =>
      (law ? text.split('\n') : []).flatMap((line): Statement[] => {
        const digest = parseDigestLine(line)
        if (!digest) return []
        const where = `${path} ${digest.article}`
        return [{ where, words: [digest.words], cited: citedInMarkdown(line, where, law) }]
      }),
    ),
  ]
}
