import { oversizedResponse } from './model-error.ts'

const maxLineLength = 262_144

/** Splits a byte stream into lines. Throws if a line is too long. */
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
        throw oversizedResponse()
      return lines
    },

    /** Returns the text after the last line break. */
    rest: () => partialLine + decoder.decode(),
  }
}
