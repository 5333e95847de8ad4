const hiddenElements = new Set(['script', 'style', 'template', 'noscript', 'svg', 'head', 'iframe'])
const blockElements = new Set(
  'address article aside blockquote br dd div dl dt figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tr ul'.split(
    ' ',
  ),
)

/** Extracts the visible text of a page, one line per block element. */
export function extractHtml(html: string): string {
  let text = ''
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf('<', at)
    text += decodeEntities(html.slice(at, open === -1 ? html.length : open).replace(/\s+/g, ' '))
    if (open === -1) break
    const { next, mark } = markupAt(html, open)
    text += mark
    at = next
  }
  const lines = text.split('\n').map((line) => line.trim())
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** What stands for the markup at `open`, and where the text goes on. */
function markupAt(html: string, open: number): { next: number; mark: string } {
  if (html.startsWith('<!--', open)) return { next: after(html, '-->', open + 4), mark: '' }
  const tag = /^<(\/?)([a-z][a-z0-9]*)/i.exec(html.slice(open, open + 20))
  if (!tag) {
    // A lone `<` is text; a declaration is not.
    return /^<[!?/]/.test(html.slice(open, open + 2))
      ? { next: after(html, '>', open), mark: '' }
      : { next: open + 1, mark: '<' }
  }
  const name = tag[2]!.toLowerCase()
  const end = after(html, '>', open)
  if (tag[1] === '' && hiddenElements.has(name)) return { next: closing(html, name, end), mark: '' }
  return { next: end, mark: blockElements.has(name) ? '\n' : /^t[dh]$/.test(name) ? '\t' : '' }
}

function after(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from)
  return at === -1 ? html.length : at + mark.length
}

function closing(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}\\b`, 'gi')
  end.lastIndex = from
  const found = end.exec(html)
  return found ? after(html, '>', found.index) : html.length
}

const named: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ensp: ' ',
  emsp: ' ',
  copy: '©',
  reg: '®',
  sect: '§',
  middot: '·',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  yen: '¥',
  times: '×',
}

const decodeEntities = (text: string) =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi, (whole, decimal, hex, name) => {
    if (name) return named[name.toLowerCase()] ?? whole
    const point = decimal ? Number(decimal) : Number.parseInt(hex, 16)
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : whole
  })
