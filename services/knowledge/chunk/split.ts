/** Where a text that is too long is cut, the best place first. */
const cuts = [/\n+/g, /(?<=[。！？!?]|\.(?=\s))\s*/g, /(?<=[；;])\s*/g, /(?<=[，,、])\s*/g]

/** A text as pieces of at most `most` characters, cut at paragraphs, sentences, clauses, then anywhere. */
export function split(text: string, most: number, from = 0): string[] {
  if (text.length <= most) return text.trim() === '' ? [] : [text]
  const cut = cuts[from]
  if (!cut) return anywhere(text, most)
  const pieces = text.split(cut).filter((piece) => piece !== '')
  return packed(
    pieces.flatMap((piece) => split(piece, most, from + 1)),
    most,
    from === 0 ? '\n' : '',
  )
}

/** Neighbours together, as long as they fit. */
export function packed(pieces: readonly string[], most: number, between = '\n'): string[] {
  const full: string[] = []
  for (const piece of pieces) {
    const last = full.at(-1)
    if (last !== undefined && last.length + between.length + piece.length <= most) {
      full[full.length - 1] = last + between + piece
    } else full.push(piece)
  }
  return full
}

/** A character of two halves is not torn. */
function anywhere(text: string, most: number): string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + most, text.length)
    const last = text.charCodeAt(end - 1)
    if (end < text.length && last >= 0xd800 && last <= 0xdbff && end - at > 1) end--
    pieces.push(text.slice(at, end))
    at = end
  }
  return pieces.filter((piece) => piece.trim() !== '')
}
