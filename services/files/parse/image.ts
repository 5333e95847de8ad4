import { type Budget, type ExtractedText, limits, UnreadableFile } from './limits.ts'
import type { Recognize } from './ocr.ts'
import { isLittleEndian, isTiff, splitTiff } from './tiff.ts'

/** Recognizes the text of an image, of each page if it is a TIFF. */
export async function extractImage(
  bytes: Uint8Array,
  recognize: Recognize,
  budget: Budget,
): Promise<ExtractedText> {
  const pages = isTiff(bytes) ? splitTiff(bytes) : [bytes]
  if (pages.length > limits.pages) {
    throw new UnreadableFile(`The image has ${pages.length} pages; the limit is ${limits.pages}.`)
  }
  const texts: string[] = []
  for (const page of pages) {
    const isSpent = texts.length >= limits.recognizedPages || Date.now() >= budget.until
    if (texts.length > 0 && isSpent) break
    rejectHuge(...readDimensions(page))
    texts.push(await recognize(page))
  }
  return { text: texts.join('\f'), pages: pages.length, truncated: texts.length < pages.length }
}

/**
 * Rejects images over the pixel limit before decoding: a small file can declare billions of pixels.
 */
export function rejectHuge(width: number, height: number) {
  if (width * height > limits.pixels || Math.max(width, height) > limits.side) {
    throw new UnreadableFile(`The image is too large: ${width} × ${height} pixels.`)
  }
}

/** Reads width and height from the header of a PNG, JPEG or TIFF. */
export function readDimensions(bytes: Uint8Array): [width: number, height: number] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  try {
    if (view.getUint32(0) === 0x89504e47) return [view.getUint32(16), view.getUint32(20)]
    return view.getUint16(0) === 0xffd8 ? jpegDimensions(view) : tiffDimensions(view)
  } catch (thrown) {
    throw thrown instanceof RangeError ? new UnreadableFile('The image is damaged.') : thrown
  }
}

function jpegDimensions(view: DataView): [number, number] {
  for (let at = 2; ; at += 2 + view.getUint16(at + 2)) {
    while (view.getUint8(at + 1) === 0xff) at++
    const marker = view.getUint8(at + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return [view.getUint16(at + 7), view.getUint16(at + 5)]
  }
}

function tiffDimensions(view: DataView): [number, number] {
  const little = isLittleEndian(view)
  const directory = view.getUint32(4, little)
  const size: [number, number] = [0, 0]
  const count = view.getUint16(directory, little)
  for (let at = directory + 2; at < directory + 2 + count * 12; at += 12) {
    const tag = view.getUint16(at, little)
    if (tag !== 256 && tag !== 257) continue
    const isShort = view.getUint16(at + 2, little) === 3
    size[tag - 256] = isShort ? view.getUint16(at + 8, little) : view.getUint32(at + 8, little)
  }
  return size
}
