import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError } from './client.cli.ts'
import { readLawLines } from './law-lines.node.ts'
import { parseStatute, type Statute } from './statute.ts'
import { UsageError } from './usage.ts'

/**
 * Reads the statutes of a directory of Markdown files or of a file of JSON lines, one at a time and in
 * a stable order. Throws one error with all invalid files.
 */
export async function* readStatutes(from: string): AsyncGenerator<Statute> {
  if (!existsSync(from)) throw new UsageError(`Not found: ${from}`)
  const seen = new Set<string>()
  const issues: { path: string; message: string }[] = []
  const source = statSync(from).isDirectory() ? readMarkdown(from, issues) : readFile(from, issues)
  for await (const { path, statute } of source) {
    const { document_id } = statute.document
    if (statute.content === '' || statute.chunks?.length === 0) {
      issues.push({ path, message: 'The law has no text.' })
    } else if (seen.has(document_id)) {
      issues.push({ path, message: `Duplicate document id ${document_id}.` })
    } else yield statute
    seen.add(document_id)
  }
  if (issues.length > 0)
    throw new CommandError('VALIDATION_FAILED', 'Some files are invalid.', { issues })
}

interface ReadStatute {
  path: string
  statute: Statute
}

async function* readMarkdown(
  from: string,
  issues: { path: string; message: string }[],
): AsyncGenerator<ReadStatute> {
  const paths = readdirSync(from, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /\.md$/i.test(path) && !/(^|\/)(readme|_index)\.md$/i.test(path))
    .sort()
  if (paths.length === 0) throw new CommandError('NOT_FOUND', `No Markdown files in ${from}.`, null)
  for (const path of paths) {
    try {
      yield { path, statute: parseStatute(path, readFileSync(join(from, path), 'utf8')) }
    } catch (thrown) {
      issues.push({ path, message: (thrown as Error).message })
    }
  }
}

async function* readFile(
  from: string,
  issues: { path: string; message: string }[],
): AsyncGenerator<ReadStatute> {
  if (!/\.jsonl(\.gz)?$/i.test(from)) {
    throw new UsageError('--from: expected a directory of Markdown files, .jsonl or .jsonl.gz.')
  }
  try {
    for await (const statute of readLawLines(from)) {
      yield { path: statute.document.document_id, statute }
    }
  } catch (thrown) {
    issues.push({ path: from, message: (thrown as Error).message })
  }
}
