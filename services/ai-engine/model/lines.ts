import { tooLarge } from './model-error.ts'

const longest = 262_144

/** Bytes as they come, as the whole lines that they end; a line that has no end is refused. */
export function makeLines() {
  const decoder = new TextDecoder()
  let begun = ''

  return {
    take(bytes: Uint8Array): string[] {
      const text = decoder.decode(bytes, { stream: true })
      const end = text.lastIndexOf('\n')
      const lines = end < 0 ? [] : (begun + text.slice(0, end)).split('\n')
      begun = end < 0 ? begun + text : text.slice(end + 1)
      if (begun.length > longest || lines.some((line) => line.length > longest)) throw tooLarge()
      return lines
    },

    /** What stands after the last line end. */
    rest: () => begun + decoder.decode(),
  }
}
