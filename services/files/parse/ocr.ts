/** The text in a picture: the bytes of a PNG, JPEG or TIFF. */
export type Recognize = (picture: Uint8Array) => Promise<string>

const wideCharacter = '[\\p{Script=Han}，。、；：？！“”‘’（）《》【】…—]'
const gaps = new RegExp(`(?<=${wideCharacter})[ \\t\\u3000]+(?=${wideCharacter})`, 'gu')

/** Recognition puts spaces between Chinese characters, where nobody writes them. */
export const removeHanSpaces = (text: string) => text.replace(gaps, '')
