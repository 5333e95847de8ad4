import { Parser } from 'htmlparser2'
import { UnreadableFile } from './limits.ts'

/** Not `head`: its end tag is optional, and the parser does not infer it from the text that follows. */
const hiddenElements = new Set(['script', 'style', 'template', 'noscript', 'svg', 'iframe'])
const blockElements = new Set(
  'address article aside blockquote br dd div dl dt figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table title tr ul'.split(
    ' ',
  ),
)
/** The parser's cost per element grows with its depth. */
const maxDepth = 1_000

/** Extracts the visible text of a page, one line per block element and a tab before each table cell. */
export function extractHtml(html: string): string {
  let text = ''
  let depth = 0
  let hidden = 0
  const separate = (name: string) => {
    if (hidden > 0) return
    if (blockElements.has(name)) text += '\n'
    else if (name === 'td' || name === 'th') text += '\t'
  }
  const parser = new Parser({
    onopentag(name) {
      if (++depth > maxDepth) throw new UnreadableFile('The markup is nested too deeply.')
      if (hiddenElements.has(name)) hidden++
      separate(name)
    },
    ontext(chunk) {
      if (hidden === 0) text += chunk.replace(/\s+/g, ' ')
    },
    onclosetag(name) {
      depth--
      if (hiddenElements.has(name)) hidden--
      if (blockElements.has(name)) separate(name)
    },
  })
  parser.end(html)
  return text
    .split('\n')
    .map((line) => line.replace(/ {2,}/g, ' ').trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
