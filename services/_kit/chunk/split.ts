/** Boundaries at which a long text is split, best first: paragraphs, sentences, clauses. */
const cuts = [/\n+/g, /(?<=[。！？!?]|\.(?=\s))\s*/g, /(?<=[；;])\s*/g, /(?<=[，,、])\s*/g]

/** Splits a text into pieces of at most `maxLength` characters. */
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

/** Joins neighbouring pieces up to `maxLength`. */
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

/** Splits at any character, but not inside a surrogate pair. */
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
