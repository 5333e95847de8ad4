/** The text in a picture: the bytes of a PNG, JPEG or TIFF. */
export type Recognize = (picture: Uint8Array) => Promise<string>

const wide = '[\\p{Script=Han}，。、；：？！“”‘’（）《》【】…—]'
const gaps = new RegExp(`(?<=${wide})[ \\t\\u3000]+(?=${wide})`, 'gu')

/** Recognition puts spaces between Chinese characters, where nobody writes them. */
export const closeHan = (text: string) => text.replace(gaps, '')
