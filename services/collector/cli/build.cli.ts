import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { PackageId } from '../packages/manifest.ts'
import { CommandError } from './client.cli.ts'
import { json } from './new.cli.ts'
import { parseStatute, type Statute } from './statute.ts'
import { table } from './table.ts'
import { UsageError } from './usage.ts'
import { validate } from './validate.cli.ts'

export interface BuildOptions {
  from: string
  out: string
  packageId: string | undefined
  kb: string
  version: string
}

/** Maximum text per base: knowledge-service accepts requests of 32 MiB, and JSON adds overhead. */
const maxBaseBytes = 24 * 1024 * 1024

/** Builds a package from statutes in Markdown. Replaces an earlier build. */
export async function build({
  from,
  out,
  packageId = basename(resolve(out)),
  kb,
  version,
}: BuildOptions) {
  if (!PackageId.safeParse(packageId).success) {
    throw new UsageError(`${packageId} is not a valid package id. Use letters, digits and _ - .`)
  }
  if (!/^sys_\w{1,180}$/.test(kb))
    throw new UsageError('--kb: the name of a system base starts with sys_.')
  if (!/^\d{4}-\d{2}-\d{2}$/.test(version)) throw new UsageError('--version: expected YYYY-MM-DD.')
  if (basename(resolve(out)) !== packageId) {
    throw new UsageError(`--out must end with the package's id, ${packageId}.`)
  }
  const statutes = readStatutes(from)
  rejectForeignDirectory(out, packageId)
  const parts = splitByBase(statutes)
  const items = parts.map((_, index) => ({
    item_id: `statutes${numberSuffix('_', index)}`,
    kind: 'knowledge.seed.system_kb_documents.import',
    config: { documents_json: `\${PACKAGE_DIR}/${listingPath(index)}` },
  }))
  const description = `${statutes.length} statutes, built by legal-seed build.`
  const manifestFields = {
    schema_version: 1,
    package_id: packageId,
    name: packageId,
    version,
    description,
  }
  const bases = parts.map((_, index) => `${kb}${numberSuffix('_', index)}`)
  rmSync(join(out, 'data'), { recursive: true, force: true })
  writeText(out, 'manifest.json', json({ ...manifestFields, items }))
  for (const [index, part] of parts.entries()) {
    const documents = part.map(({ document, file }) => ({ ...document, content_file: file }))
    writeText(out, listingPath(index), json({ kb: { name: bases[index] }, documents }))
    for (const { file, content } of part) writeText(out, file, `${content}\n`)
  }
  const { valid, issues, checksum } = await validate(out)
  if (!valid)
    throw new CommandError('MANIFEST_INVALID', 'The built package is not valid.', { issues })
  return {
    package_id: packageId,
    checksum,
    bases,
    documents: statutes.map(({ document, articles, warnings }) => ({
      ...document,
      articles,
      warnings,
    })),
  }
}

/** Suffix of a numbered name. The first one has none. */
const numberSuffix = (mark: string, index: number) => (index === 0 ? '' : `${mark}${index + 1}`)
const listingPath = (index: number) => `data/documents${numberSuffix('-', index)}.json`

type StatuteFile = Statute & { file: string }

function readStatutes(from: string): StatuteFile[] {
  if (!existsSync(from)) throw new UsageError(`Directory not found: ${from}`)
  const paths = readdirSync(from, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /\.md$/i.test(path) && !/(^|\/)readme\.md$/i.test(path))
    .sort()
  if (paths.length === 0) throw new CommandError('NOT_FOUND', `No Markdown files in ${from}.`, null)
  const issues: { path: string; message: string }[] = []
  const seen = new Set<string>()
  const statutes = paths.flatMap((path, index) => {
    try {
      const statute = parseStatute(path, readFileSync(join(from, path), 'utf8'))
      const { document_id } = statute.document
      if (statute.content === '') throw new Error('The file has no text.')
      if (seen.has(document_id)) throw new Error(`Duplicate document id ${document_id}.`)
      seen.add(document_id)
      // Generated names: ids may be too long for a file system, or differ only in case.
      const file = `data/texts/${String(index + 1).padStart(4, '0')}.md`
      return { ...statute, file }
    } catch (thrown) {
      issues.push({ path, message: (thrown as Error).message })
      return []
    }
  })
  if (issues.length > 0)
    throw new CommandError('VALIDATION_FAILED', 'Some files are invalid.', { issues })
  return statutes
}

/**
 * Throws if the output directory contains something other than an earlier build of this package.
 */
function rejectForeignDirectory(out: string, packageId: string) {
  if (!existsSync(out) || readdirSync(out).length === 0) return
  try {
    const { package_id } = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'))
    if (package_id === packageId) return
  } catch {}
  throw new CommandError(
    'CONFLICT',
    `${out} is not empty and does not contain package ${packageId}.`,
    null,
  )
}

function splitByBase(statutes: StatuteFile[]): StatuteFile[][] {
  const parts: StatuteFile[][] = [[]]
  let bytes = 0
  for (const statute of statutes) {
    const size = Buffer.byteLength(statute.content)
    if (bytes + size > maxBaseBytes && parts.at(-1)!.length > 0) {
      parts.push([])
      bytes = 0
    }
    parts.at(-1)!.push(statute)
    bytes += size
  }
  return parts
}

function writeText(root: string, path: string, content: string) {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}

export function buildTable({
  package_id,
  documents,
  bases,
  checksum,
}: Awaited<ReturnType<typeof build>>) {
  const rows = documents.map(({ title, articles, warnings }) => [
    title,
    String(articles),
    warnings.join(' '),
  ])
  return `${table(['STATUTE', 'ARTICLES', 'WARNINGS'], rows)}\n\n${package_id}: ${documents.length} documents for ${bases.join(', ')}, checksum ${checksum}`
}
