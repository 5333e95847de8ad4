import { type Heading, parseHeading } from './heading.ts'
import { packPieces, split } from './split.ts'

export interface Section {
  section_id: string
  title: string
  parent_id: string | null
}

export interface Chunk {
  chunk_index: number
  section_id: string | null
  content: string
  metadata: { heading?: string }
}

/** Longest chunk in characters. Paragraphs are packed up to it; an article is a chunk of its own. */
export const chunkSize = 1_200

interface OpenSection extends Section {
  level: number
}

interface SectionText {
  section: OpenSection | undefined
  path: string
  lines: string[]
}

/** Splits a text into chunks along its structure, and returns its sections. */
export function chunkText(
  text: string,
  maxLength = chunkSize,
): { sections: Section[]; chunks: Chunk[] } {
  const sections: Section[] = []
  const sectionTexts: SectionText[] = [{ section: undefined, path: '', lines: [] }]
  const open: OpenSection[] = []
  const ids = new Set<string>()
  for (const line of text.replaceAll('\r\n', '\n').split(/[\n\f\r]/)) {
    const heading = parseHeading(line)
    if (heading) {
      const section = openSection(heading, line, open, ids)
      sections.push({
        section_id: section.section_id,
        title: section.title,
        parent_id: section.parent_id,
      })
      const path = open.filter(({ level }) => level < 5).map(({ title }) => title)
      sectionTexts.push({ section, path: path.join(' / '), lines: heading.isText ? [line] : [] })
    } else sectionTexts.at(-1)!.lines.push(line)
  }
  const chunks = sectionTexts.flatMap(({ section, path, lines }) =>
    splitLines(lines, maxLength).map((content) => ({
      section_id: section?.section_id ?? null,
      content,
      metadata: path ? { heading: path } : {},
    })),
  )
  return { sections, chunks: chunks.map((chunk, chunk_index) => ({ chunk_index, ...chunk })) }
}

/** Opens a section below the nearest open one of a lower level. */
function openSection(
  { level, label, isText }: Heading,
  line: string,
  open: OpenSection[],
  ids: Set<string>,
): OpenSection {
  while (open.length > 0 && open.at(-1)!.level >= level) open.pop()
  const parent = open.at(-1)
  const name = label.replace(/\s+/g, ' ').replaceAll('/', '-').slice(0, 60)
  const preferred = parent && parent.section_id.length < 200 ? `${parent.section_id}/${name}` : name
  let section_id = preferred
  for (let suffix = 2; ids.has(section_id); suffix++) section_id = `${preferred} (${suffix})`
  ids.add(section_id)
  const title = isText ? label : line.trim().replace(/^#+\s+/, '')
  const section = { section_id, title, parent_id: parent?.section_id ?? null, level }
  open.push(section)
  return section
}

function splitLines(lines: readonly string[], maxLength: number): string[] {
  const text = lines
    .map((line) => line.trim())
    .join('\n')
    .replace(/\n{2,}/g, '\n')
    .trim()
  return text === '' ? [] : packPieces(split(text, maxLength), maxLength)
}
