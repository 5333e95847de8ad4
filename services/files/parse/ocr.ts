/** Recognizes the text of a PNG, JPEG or TIFF image. */
export type Recognize = (picture: Uint8Array) => Promise<string>

const wideCharacter = '[\\p{Script=Han}，。、；：？！“”‘’（）《》【】…—]'
const gaps = new RegExp(`(?<=${wideCharacter})[ \\t\\u3000]+(?=${wideCharacter})`, 'gu')

/** Removes the spaces that OCR inserts between Chinese characters. */
export const removeHanSpaces = (text: string) => text.replace(gaps, '')
