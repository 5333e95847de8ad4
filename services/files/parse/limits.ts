/** Limits on the cost of parsing one file. */
export const limits = {
  characters: 2_000_000,
  pages: 2_000,
  /** Pages read by OCR, which takes about one second per page. */
  recognizedPages: 200,
  pixels: 50_000_000,
  side: 30_000,
  zipMembers: 10_000,
  inflatedBytes: 256 * 1024 * 1024,
}

/** The file cannot be parsed. The message is shown to the user as `parseError`. */
export class UnreadableFile extends Error {
  override name = 'UnreadableFile'
}

/** The file type is not supported. */
export class UnsupportedFile extends Error {
  override name = 'UnsupportedFile'
}

export const passwordProtected = () => new UnreadableFile('The file is protected by a password.')

export interface ExtractedText {
  text: string
  pages: number
  /** True if some of the text was left out. */
  truncated?: boolean
}

/** Time budget of a parser that can return partial results. */
export interface Budget {
  /** Deadline in milliseconds since 1970. */
  until: number
}
