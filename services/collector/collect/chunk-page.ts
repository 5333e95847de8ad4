const maxChunkLength = 1_200

const numeral = '[\\d零〇一二三四五六七八九十百千]{1,12}'
const end = '(?=[\\s\u3000:：、.．【〔(（]|$)'
const levels = ['编', '章', '节'].map((level) => new RegExp(`^第${numeral}${level}${end}`))
const article = new RegExp(`^第${numeral}条(?:之${numeral})?${end}`)

export interface PageChunk {
  chunk_index: number
  /** Headings and article of the chunk: `第一章/第三条`. */
  section_id?: string
  content: string
  metadata: { article?: string }
}

/** Splits a page at 编, 章, 节 and 条, one chunk per article, so that an article can be cited. */
export function chunkPage(text: string): PageChunk[] {
  const chunks: PageChunk[] = []
  const headings: (string | undefined)[] = []
  let current: string | undefined
  let lines: string[] = []

  const flush = () => {
    const path = [...headings, current].filter((part) => part !== undefined)
    for (const content of splitLong(lines)) {
      chunks.push({
        chunk_index: chunks.length,
        ...(path.length > 0 && { section_id: path.join('/') }),
        content,
        metadata: current === undefined ? {} : { article: current },
      })
    }
    lines = []
  }

  for (const line of text.split('\n')) {
    const trimmed = line.trim()
    const level = levels.findIndex((pattern) => pattern.test(trimmed))
    const found = article.exec(trimmed)?.[0]
    if (level !== -1 || found !== undefined) flush()
    if (level !== -1) {
      headings.length = level
      headings[level] = levels[level]!.exec(trimmed)![0]
      current = undefined
    }
    if (found !== undefined) current = found
    lines.push(line)
  }
  flush()
  return chunks
}

/** Groups lines into texts of limited length. Splits a line that is longer than the limit. */
function splitLong(lines: string[]): string[] {
  const texts: string[] = []
  let open = ''
  for (const line of lines) {
    for (let at = 0; at === 0 || at < line.length; at += maxChunkLength) {
      const piece = line.slice(at, at + maxChunkLength)
      if (open && open.length + piece.length + 1 > maxChunkLength) {
        texts.push(open)
        open = ''
      }
      open = open ? `${open}\n${piece}` : piece
    }
  }
  texts.push(open)
  // A split may leave lone surrogates.
  return texts.filter((text) => text.trim()).map((text) => text.toWellFormed())
}
