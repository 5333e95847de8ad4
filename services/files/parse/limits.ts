/** Past these a file is not worth what reading it would cost. */
export const limits = {
  characters: 2_000_000,
  pages: 2_000,
  /** Pages whose text must be recognized from a picture, which takes about a second each. */
  recognizedPages: 200,
  pixels: 50_000_000,
  side: 30_000,
  zipMembers: 10_000,
  inflatedBytes: 256 * 1024 * 1024,
}

/** Why a file can't be read, in words for whoever uploaded it. */
export class UnreadableFile extends Error {
  override name = 'Unreadable'
}

/** It is of a kind that is not read at all. */
export class UnsupportedFile extends Error {
  override name = 'Unsupported'
}

export const passwordProtected = () => new UnreadableFile('The file is protected by a password.')

/** What a parser found. */
export interface ExtractedText {
  text: string
  pages: number
  /** It stopped before the end. */
  truncated?: boolean
}

/** How long a parser may go on, where it can stop earlier with what it has. */
export interface Budget {
  /** In milliseconds since 1970. */
  until: number
}
