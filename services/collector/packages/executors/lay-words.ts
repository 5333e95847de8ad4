import * as z from 'zod'
import { type Executor, Paths } from './executor.ts'

/** Lay words: colloquial expressions mapped to legal terms. */
export const layWords: Executor = {
  kind: 'knowledge.seed.lay_words.import',
  service: 'knowledge',
  path: '/api/v1/internal/seed/lay-words/import',
  Config: z.object({ lay_words_json: Paths }),
  files: { lay_words_json: z.record(z.string(), z.unknown()) },
  exclusiveScopes: () => ['the lay words'],
  requests: (_, data) => [mergeFiles(data.lay_words_json as Record<string, unknown>[])],
}

/** Concatenates lists of the same name. */
function mergeFiles(files: Record<string, unknown>[]): Record<string, unknown> {
  const merged: Record<string, unknown> = {}
  for (const [name, value] of files.flatMap(Object.entries)) {
    const before = merged[name]
    merged[name] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value
  }
  return merged
}
