import { PNG } from 'pngjs'

/** A greyscale picture with one byte per pixel; 0 is black. */
export interface Picture {
  width: number
  height: number
  pixels: Uint8Array
}

type Stroke = [x: number, y: number, width: number, height: number]

/** Glyphs of straight strokes on a 16 × 16 grid. */
const glyphs: Record<string, { width: number; strokes: Stroke[] }> = {
  ' ': { width: 8, strokes: [] },
  E: {
    width: 11,
    strokes: [
      [0, 2, 2, 13],
      [0, 2, 8, 2],
      [0, 7, 7, 2],
      [0, 13, 8, 2],
    ],
  },
  F: {
    width: 11,
    strokes: [
      [0, 2, 2, 13],
      [0, 2, 8, 2],
      [0, 7, 7, 2],
    ],
  },
  H: {
    width: 13,
    strokes: [
      [0, 2, 2, 13],
      [8, 2, 2, 13],
      [0, 7, 10, 2],
    ],
  },
  I: { width: 6, strokes: [[1, 2, 2, 13]] },
  L: {
    width: 11,
    strokes: [
      [0, 2, 2, 13],
      [0, 13, 8, 2],
    ],
  },
  T: {
    width: 13,
    strokes: [
      [0, 2, 10, 2],
      [4, 2, 2, 13],
    ],
  },
  中: {
    width: 18,
    strokes: [
      [2, 4, 12, 1],
      [2, 10, 12, 1],
      [2, 4, 1, 7],
      [13, 4, 1, 7],
      [7, 1, 1, 14],
    ],
  },
  日: {
    width: 18,
    strokes: [
      [3, 1, 10, 1],
      [3, 7, 10, 1],
      [3, 14, 10, 1],
      [3, 1, 1, 14],
      [12, 1, 1, 14],
    ],
  },
  王: {
    width: 18,
    strokes: [
      [2, 2, 12, 1],
      [3, 7, 10, 1],
      [1, 13, 14, 1],
      [7, 2, 1, 12],
    ],
  },
  田: {
    width: 18,
    strokes: [
      [2, 2, 12, 1],
      [2, 7, 12, 1],
      [2, 13, 12, 1],
      [2, 2, 1, 12],
      [7, 2, 1, 12],
      [13, 2, 1, 12],
    ],
  },
  工: {
    width: 18,
    strokes: [
      [2, 2, 12, 1],
      [1, 13, 14, 1],
      [7, 2, 1, 12],
    ],
  },
  三: {
    width: 18,
    strokes: [
      [2, 2, 12, 1],
      [3, 7, 10, 1],
      [1, 13, 14, 1],
    ],
  },
  十: {
    width: 18,
    strokes: [
      [1, 6, 14, 1],
      [7, 1, 1, 14],
    ],
  },
}

const margin = 40

/** Draws black text on white; one grid unit is `unit` pixels. */
export function drawText(text: string, unit = 4): Picture {
  const textGlyphs = [...text].map((each) => glyphs[each]!)
  const width = textGlyphs.reduce((sum, glyph) => sum + glyph.width, 0) * unit + 2 * margin
  const height = 16 * unit + 2 * margin
  const pixels = new Uint8Array(width * height).fill(255)
  let left = margin
  for (const glyph of textGlyphs) {
    for (const [x, y, w, h] of glyph.strokes) {
      const from = left + x * unit
      for (let row = margin + y * unit; row < margin + (y + h) * unit; row++) {
        pixels.fill(0, row * width + from, row * width + from + w * unit)
      }
    }
    left += glyph.width * unit
  }
  return { width, height, pixels }
}

export function encodePng({ width, height, pixels }: Picture): Uint8Array {
  const png = new PNG({ width, height })
  for (const [at, grey] of pixels.entries()) png.data.set([grey, grey, grey, 255], at * 4)
  return new Uint8Array(PNG.sync.write(png))
}

/** Encodes an uncompressed TIFF with the tag directory at the end. */
export function encodeTiff({ width, height, pixels }: Picture): Uint8Array {
  const tags = [
    [256, width],
    [257, height],
    [258, 8],
    [259, 1],
    [262, 1],
    [273, 8],
    [277, 1],
    [278, height],
    [279, pixels.length],
  ]
  const bytes = new Uint8Array(8 + pixels.length + 2 + tags.length * 12 + 4)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, 0x49492a00)
  view.setUint32(4, 8 + pixels.length, true)
  bytes.set(pixels, 8)
  view.setUint16(8 + pixels.length, tags.length, true)
  tags.forEach(([tag, value], index) => {
    const at = 10 + pixels.length + index * 12
    view.setUint16(at, tag!, true)
    view.setUint16(at + 2, 4, true)
    view.setUint32(at + 4, 1, true)
    view.setUint32(at + 8, value!, true)
  })
  return bytes
}

/** Joins TIFF files of one page: the directory of each names that of the next. */
export function joinTiffs(files: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(files.reduce((sum, file) => sum + file.length, 0))
  const view = new DataView(bytes.buffer)
  let [start, link] = [0, 4]
  for (const file of files) {
    bytes.set(file, start)
    const directory = start + view.getUint32(start + 4, true)
    const count = view.getUint16(directory, true)
    for (let at = directory + 2; at < directory + 2 + 12 * count; at += 12) {
      const isOffset = view.getUint16(at, true) === 273
      if (isOffset) view.setUint32(at + 8, start + view.getUint32(at + 8, true), true)
    }
    view.setUint32(link, directory, true)
    link = directory + 2 + 12 * count
    start += file.length
  }
  return bytes
}
