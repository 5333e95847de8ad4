import { oversizedAnswer } from './model-error.ts'

const maxLineLength = 262_144

/** Bytes as they come, as the whole lines that they end; a line that has no end is refused. */
export function makeLineSplitter() {
  const decoder = new TextDecoder()
  let partialLine = ''

  return {
    take(bytes: Uint8Array): string[] {
      const text = decoder.decode(bytes, { stream: true })
      const end = text.lastIndexOf('\n')
      const lines = end < 0 ? [] : (partialLine + text.slice(0, end)).split('\n')
      partialLine = end < 0 ? partialLine + text : text.slice(end + 1)
      if (partialLine.length > maxLineLength || lines.some((line) => line.length > maxLineLength))
        throw oversizedAnswer()
      return lines
    },

    /** What stands after the last line end. */
    rest: () => partialLine + decoder.decode(),
  }
}
