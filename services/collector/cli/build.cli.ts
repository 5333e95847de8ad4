import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { PackageId } from '../packages/manifest.ts'
import { CommandError } from './client.cli.ts'
import { lawName, linkEditions } from './edition.ts'
import { json } from './new.cli.ts'
import { writePackageFile, writeStatutes } from './package-writer.node.ts'
import type { Statute } from './statute.ts'
import { readStatutes } from './statutes.node.ts'
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

/**
 * Maximum size of a base as JSON: knowledge-service accepts requests of 32 MiB, of which collector-service
 * reserves one.
 */
const maxBaseBytes = 28 * 1024 * 1024

/** Builds a package from laws in Markdown or JSON lines. Replaces an earlier build. */
export async function build({
  from,
  out,
  packageId = basename(resolve(out)),
  kb,
  version,
}: BuildOptions) {
  rejectInvalidOptions(out, packageId, kb, version)
  // The laws are read twice, so that only one text is in memory: the period of an edition depends on others.
  const heads: StatuteHead[] = []
  for await (const statute of readStatutes(from)) heads.push(headOf(statute))
  const repeated = findRepeated(heads)
  rejectForeignDirectory(out, packageId)
  const ends = linkEditions(heads.map(({ edition }) => edition))
  const parts = assignBases(heads)
  const bases = Array.from({ length: Math.max(...parts) + 1 }, (_, part) => baseName(kb, part))
  const items = bases.map((_, part) => ({
    item_id: `statutes${numberSuffix('_', part)}`,
    kind: 'knowledge.seed.system_kb_documents.import',
    config: { documents_json: `\${PACKAGE_DIR}/${listingPath(part)}` },
  }))
  rmSync(join(out, 'data'), { recursive: true, force: true })
  const count = heads.length - repeated.size
  const description = `${count} editions of laws, built by legal-seed build.`
  writePackageFile(
    out,
    'manifest.json',
    json({
      schema_version: 1,
      package_id: packageId,
      name: packageId,
      version,
      description,
      items,
    }),
  )
  const listings = bases.map((name, part) => ({ name, path: listingPath(part) }))
  const { bytes } = await writeStatutes(out, listings, readStatutes(from), (index) =>
    repeated.has(heads[index]!) ? null : { part: parts[index]!, effectiveTo: ends[index] },
  )
  const { valid, issues, checksum } = await validate(out)
  if (!valid)
    throw new CommandError('MANIFEST_INVALID', 'The built package is not valid.', { issues })
  const documents = heads.filter((head) => !repeated.has(head)).map(describeHead)
  return { package_id: packageId, checksum, bases, bytes, documents }
}

function rejectInvalidOptions(out: string, packageId: string, kb: string, version: string) {
  if (!PackageId.safeParse(packageId).success) {
    throw new UsageError(`${packageId} is not a valid package id. Use letters, digits and _ - .`)
  }
  if (!/^sys_\w{1,180}$/.test(kb))
    throw new UsageError('--kb: the name of a system base starts with sys_.')
  if (!/^\d{4}-\d{2}-\d{2}$/.test(version)) throw new UsageError('--version: expected YYYY-MM-DD.')
  if (basename(resolve(out)) !== packageId) {
    throw new UsageError(`--out must end with the package's id, ${packageId}.`)
  }
}

/** A statute without its text. */
type StatuteHead = Omit<Statute, 'content' | 'chunks'> & { bytes: number; textHash: string }

const headOf = ({ content, chunks, ...head }: Statute): StatuteHead => ({
  ...head,
  bytes: Buffer.byteLength(JSON.stringify({ ...head.document, content, chunks })),
  textHash: createHash('sha256').update(JSON.stringify({ content, chunks })).digest('hex'),
})

/**
 * Finds editions with the title, day and text of an earlier one, which the national database holds twice.
 * Warns about editions of one day whose texts differ: both are in force.
 */
function findRepeated(heads: readonly StatuteHead[]): Set<StatuteHead> {
  const repeated = new Set<StatuteHead>()
  const firstOf = new Map<string, StatuteHead>()
  for (const head of heads) {
    const { document, edition } = head
    const day = JSON.stringify([lawName(edition.title), document.title, edition.effective_from])
    const first = firstOf.get(day)
    if (first === undefined) firstOf.set(day, head)
    else if (first.textHash === head.textHash) {
      repeated.add(head)
      first.warnings.push(`Stored once: ${document.document_id} has the same day and text.`)
    } else {
      head.warnings.push(`In force from the same day as ${first.document.document_id}.`)
    }
  }
  return repeated
}

const describeHead = ({ document, edition, articles, warnings }: StatuteHead) => ({
  document_id: document.document_id,
  title: document.title,
  ...(edition.status && { status: edition.status }),
  articles,
  warnings,
})

/** Assigns statutes to bases within the size limit. The editions of a law are in the same base. */
function assignBases(heads: readonly StatuteHead[]): number[] {
  const laws = new Map<string, number>()
  for (const { edition, bytes } of heads) {
    const name = lawName(edition.title)
    laws.set(name, (laws.get(name) ?? 0) + bytes)
  }
  const partOf = new Map<string, number>()
  let [part, filled] = [0, 0]
  for (const [name, bytes] of laws) {
    if (filled > 0 && filled + bytes > maxBaseBytes) [part, filled] = [part + 1, 0]
    filled += bytes
    partOf.set(name, part)
  }
  return heads.map(({ edition }) => partOf.get(lawName(edition.title))!)
}

/** Suffix of a numbered name. The first one has none. */
const numberSuffix = (mark: string, index: number) => (index === 0 ? '' : `${mark}${index + 1}`)
const baseName = (kb: string, part: number) => `${kb}${numberSuffix('_', part)}`
const listingPath = (part: number) => `data/documents${numberSuffix('-', part)}.json`

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

/** Rows of the table. More laws are summed up. */
const maxRows = 200

export function buildTable(result: Awaited<ReturnType<typeof build>>) {
  const { package_id, documents, bases, bytes, checksum } = result
  const listed =
    documents.length > maxRows ? documents.filter((each) => each.warnings.length > 0) : documents
  const rows = listed
    .slice(0, maxRows)
    .map(({ title, articles, warnings }) => [title, String(articles), warnings.join(' ')])
  const articles = documents.reduce((sum, each) => sum + each.articles, 0)
  const summary = `${package_id}: ${documents.length} documents, ${articles} articles, ${(bytes / 2 ** 20).toFixed(1)} MiB for ${bases.join(', ')}, checksum ${checksum}`
  return rows.length > 0
    ? `${table(['STATUTE', 'ARTICLES', 'WARNINGS'], rows)}\n\n${summary}`
    : summary
}
