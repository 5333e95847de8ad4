/** Where a text that is too long is cut, the best place first. */
const cuts = [/\n+/g, /(?<=[。！？!?]|\.(?=\s))\s*/g, /(?<=[；;])\s*/g, /(?<=[，,、])\s*/g]

/** A text as pieces of at most `most` characters, cut at paragraphs, sentences, clauses, then anywhere. */
export function split(text: string, maxLength: number, from = 0): string[] {
  if (text.length <= maxLength) return text.trim() === '' ? [] : [text]
  const cut = cuts[from]
  if (!cut) return splitAnywhere(text, maxLength)
  const pieces = text.split(cut).filter((piece) => piece !== '')
  return packPieces(
    pieces.flatMap((piece) => split(piece, maxLength, from + 1)),
    maxLength,
    from === 0 ? '\n' : '',
  )
}

/** Neighbours together, as long as they fit. */
export function packPieces(
  pieces: readonly string[],
  maxLength: number,
  separator = '\n',
): string[] {
  const packed: string[] = []
  for (const piece of pieces) {
    const last = packed.at(-1)
    if (last !== undefined && last.length + separator.length + piece.length <= maxLength) {
      packed[packed.length - 1] = last + separator + piece
    } else packed.push(piece)
  }
  return packed
}

/** A character of two halves is not torn. */
function splitAnywhere(text: string, maxLength: number): string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + maxLength, text.length)
    const last = text.charCodeAt(end - 1)
    if (end < text.length && last >= 0xd800 && last <= 0xdbff && end - at > 1) end--
    pieces.push(text.slice(at, end))
    at = end
  }
  return pieces.filter((piece) => piece.trim() !== '')
}
