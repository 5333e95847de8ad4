import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const has = (command: string, ...args: string[]) => spawnSync(command, args).status === 0

/** Why documents cannot be converted here; undefined if they can. */
export const findMissingOffice = (): string | undefined =>
  has('soffice', '--version') && has('pdftotext', '-v') && has('pdffonts', '-v')
    ? undefined
    : 'Requires LibreOffice Writer and poppler-utils (Debian: libreoffice-writer-nogui, poppler-utils, fonts-noto-cjk).'

export interface ReadPdf {
  /** Text in the order of the content. */
  text: string
  /** Lines as they are on the page. */
  layout: string
  /** Name of each font, and whether it is embedded. */
  fonts: { name: string; isEmbedded: boolean }[]
  pages: number
}

/** Converts DOCX files to PDF, all in one process of LibreOffice, and reads them. PDF files are read as they are. */
export function readAsPdf(files: Record<string, Uint8Array>): Record<string, ReadPdf> {
  const directory = mkdtempSync(join(tmpdir(), 'documents-'))
  try {
    for (const [name, bytes] of Object.entries(files)) writeFileSync(join(directory, name), bytes)
    const sources = Object.keys(files).filter((name) => name.endsWith('.docx'))
    const profile = `-env:UserInstallation=file://${directory}/profile`
    if (sources.length > 0)
      run('soffice', [
        ...[profile, '--headless', '--convert-to', 'pdf', '--outdir', directory],
        ...sources.map((name) => join(directory, name)),
      ])
    const made = readdirSync(directory).filter((name) => name.endsWith('.pdf'))
    return Object.fromEntries(made.map((name) => [name, readPdf(join(directory, name))]))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function readPdf(path: string): ReadPdf {
  const text = run('pdftotext', ['-raw', path, '-'])
  const layout = run('pdftotext', ['-layout', path, '-'])
  const [, , ...rows] = run('pdffonts', [path]).trimEnd().split('\n')
  const fonts = rows.map((row) => ({
    name: row.split(/\s/)[0]!,
    // Columns after the encoding: emb, sub, uni, object and its generation.
    isEmbedded: row.trim().split(/\s+/).at(-5) === 'yes',
  }))
  return { text, layout, fonts, pages: text.split('\f').length - 1 }
}

function run(command: string, args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} failed: ${stderr}`)
  return stdout
}
