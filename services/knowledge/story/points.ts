/** Length at which a point is complete, and the shortest text that is worth a search of its own. */
const pointLength = 60
const minPointLength = 8
const maxPoints = 12

/**
 * Splits a story into its points: consecutive sentences up to about 60 characters. A text of one point
 * gives none, because the search for the whole text covers it. Of a longer story the points are taken
 * evenly over its length.
 */
export function splitIntoPoints(text: string): string[] {
  const sentences = text.split(/(?<=[。！？!?；;\n])|(?<=\.)\s+/).flatMap((sentence) => {
    const trimmed = sentence.trim()
    return trimmed.length > 2 * pointLength ? trimmed.split(/(?<=[，,])/) : [trimmed]
  })
  const points: string[] = []
  for (const sentence of sentences.filter((each) => each !== '')) {
    const last = points.at(-1)
    if (last !== undefined && last.length + sentence.length <= pointLength) {
      points[points.length - 1] = last + sentence
    } else points.push(sentence)
  }
  const worth = points.filter((point) => point.length >= minPointLength)
  if (worth.length < 2) return []
  const step = Math.max(1, worth.length / maxPoints)
  return Array.from(
    { length: Math.min(worth.length, maxPoints) },
    (_, index) => worth[Math.floor(index * step)]!,
  )
}
