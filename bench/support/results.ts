import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'

export interface Table {
  title: string
  /** Method and interpretation. */
  notes?: string[]
  head: string[]
  rows: string[][]
}

export interface Results {
  /** Versions of the measured software, besides Node. */
  versions: Record<string, string>
  tables: Table[]
}

export interface Family {
  run(options: { quick: boolean; idle?: number; chunks?: number }): Promise<Results>
}

const file = new URL('../RESULTS.md', import.meta.url)
const preface = '# Results\n\nEach section is written by the command it names.\n'

const describeMachine = (versions: Record<string, string>) =>
  [
    `${availableParallelism()} cores`,
    `${Math.round(totalmem() / 2 ** 30)} GB of memory`,
    `Node ${process.versions.node}`,
    ...Object.entries(versions).map(([what, version]) => `${what} ${version}`),
  ].join(', ')

/** Formats the results of a benchmark family as a section of RESULTS.md. */
export function formatSection(family: string, { versions, tables }: Results, date: Date): string {
  const parts = [
    `## ${family}`,
    `\`npm run bench -- ${family}\`, ${date.toISOString().slice(0, 10)}: ${describeMachine(versions)}.`,
    ...tables.flatMap(({ title, notes = [], head, rows }) => [
      `### ${title}`,
      formatTable([head, ...rows]),
      ...notes,
    ]),
  ]
  return `${parts.join('\n\n')}\n`
}

/** Formats a Markdown table with aligned columns. */
function formatTable([head, ...rows]: string[][]): string {
  const widths = head!.map((_, column) =>
    Math.max(...[head!, ...rows].map((row) => row[column]!.length)),
  )
  const line = (cells: string[], fill = ' ') =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!, fill)).join(' | ')} |`
  return [
    line(head!),
    line(
      head!.map(() => '-'),
      '-',
    ),
    ...rows.map((row) => line(row)),
  ].join('\n')
}

/** Replaces the section of a family in RESULTS.md. */
export function writeSection(family: string, text: string) {
  const otherSections = readResults()
    .split(/^(?=## )/m)
    .filter((part) => !part.startsWith(`## ${family}\n`))
    .map((part) => `${part.trimEnd()}\n`)
  writeFileSync(file, [...otherSections, text].join('\n'))
}

function readResults(): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return preface
  }
}
