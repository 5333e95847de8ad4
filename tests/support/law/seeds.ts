import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Paths of the files below a directory, in order. */
export const filesBelow = (directory: string, pattern: RegExp): string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => pattern.test(path))
    .sort()

const data = /^seed_packages\/(?!knowledge_lay_words\/)[^/]+\/data\/.*\.(?:json|md)$/

interface Seeds {
  /** Records of the JSON files. */
  records: { where: string; record: any }[]
  /** Markdown documents; `law` is the law that a digest is about. */
  documents: { path: string; text: string; law: string | undefined }[]
}

/** Reads the records and documents of all seed packages. */
export function readSeeds(): Seeds {
  const files = filesBelow('seed_packages', data)
  const lawByPath = new Map<string, string | undefined>()
  const records = files
    .filter((path) => path.endsWith('.json'))
    .flatMap((path) => {
      const value = JSON.parse(readFileSync(path, 'utf8'))
      for (const { content_file, metadata } of value.documents ?? []) {
        const root = path.slice(0, path.indexOf('/data/'))
        lawByPath.set(content_file.replace(/^\$\{PACKAGE_DIR\}/, root), metadata.law)
      }
      return (Array.isArray(value) ? value : [value]).map((record: any) => {
        const name = record.element_id ?? record.item_id ?? record.code ?? ''
        return { where: `${path} ${name}`.trim(), record }
      })
    })
  const documents = files
    .filter((path) => path.endsWith('.md'))
    .map((path) => ({ path, text: readFileSync(path, 'utf8'), law: lawByPath.get(path) }))
  return { records, documents }
}
