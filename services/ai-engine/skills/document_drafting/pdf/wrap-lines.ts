/** A piece of text with one format. */
export interface Span {
  text: string
  bold?: boolean
  change?: 'insert' | 'delete' | undefined
}

export type Line = Span[]

/** Width of a text in points. */
export type Measure = (text: string, bold: boolean) => number

/** A break, spaces, a word in Latin letters or digits, or one other character. */
const atoms = /\n|[^\S\n]+|[\x21-\x7e\u00a1-\u024f]+|./gsu
/** Characters that must not start a line, and those that must not end one. */
const closers = /^[，。、；：！？）》」』】〉”’…％,.;:!?)\]}]/u
const openers = /[（《「『【〈“‘([{]$/u

/**
 * Breaks text into lines of at most `width` points, with the rules of Chinese typesetting: a line neither
 * starts with a closing mark nor ends with an opening one. `indent` is the space before the first line.
 */
export function wrapLines(spans: Span[], width: number, measure: Measure, indent = 0): Line[] {
  const lines: Line[] = []
  let line: Line = []
  let used = indent
  const widthOf = ({ text, bold }: Span) => measure(text, bold === true)
  const endLine = () => {
    lines.push(trimEnd(line))
    line = []
    used = 0
  }
  const add = (atom: Span) => {
    line.push(atom)
    used += widthOf(atom)
  }
  for (const atom of spans.flatMap((span) => splitAtoms(span, width, measure))) {
    if (atom.text === '\n') {
      endLine()
      continue
    }
    const isSpace = atom.text.trim() === ''
    if (isSpace && line.length === 0) continue
    if (!isSpace && line.length > 0 && used + widthOf(atom) > width) {
      const carried = takeCarried(line, atom)
      endLine()
      carried.forEach(add)
    }
    add(atom)
  }
  if (line.length > 0 || lines.length === 0) endLine()
  return lines.map(joinSpans)
}

/** Atoms of a span. A word that is wider than a line is split into characters. */
const splitAtoms = (span: Span, width: number, measure: Measure): Span[] =>
  (span.text.match(atoms) ?? []).flatMap((text) =>
    measure(text, span.bold === true) > width && text.length > 1
      ? [...text].map((character) => ({ ...span, text: character }))
      : [{ ...span, text }],
  )

/** Takes from the end of a line what must stand on the next line together with `next`. */
function takeCarried(line: Line, next: Span): Line {
  const carried: Line = []
  while (
    line.length > 1 &&
    (closers.test((carried[0] ?? next).text) || openers.test(line.at(-1)!.text))
  )
    carried.unshift(line.pop()!)
  return carried
}

const trimEnd = (line: Line): Line =>
  line.at(-1)?.text.trim() === '' ? trimEnd(line.slice(0, -1)) : line

/** Joins neighbours of one format, so that a line is few texts. */
function joinSpans(line: Line): Line {
  const joined: Line = []
  for (const span of line) {
    const last = joined.at(-1)
    if (last && last.bold === span.bold && last.change === span.change) last.text += span.text
    else joined.push({ ...span })
  }
  return joined
}
