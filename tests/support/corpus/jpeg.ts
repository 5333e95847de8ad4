import type { Picture } from './picture.ts'

/** Huffman table of the DC coefficients: number of codes per length, and their symbols. */
const dcCounts = [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0]
const dcValues = Array.from({ length: 12 }, (_, n) => n)
/** AC symbols, all with 8-bit codes: zero run in the high nibble, bit length of the value in the low nibble. */
const acValues = [0x00, 0xf0, ...acSymbols()]
const acCounts = [0, 0, 0, 0, 0, 0, 0, 162, 0, 0, 0, 0, 0, 0, 0, 0]

function acSymbols(): number[] {
  return Array.from({ length: 16 }, (_, run) =>
    Array.from({ length: 10 }, (_, size) => (run << 4) | (size + 1)),
  ).flat()
}

const zigzag = [
  ...[
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20,
  ],
  ...[13, 6, 7, 14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59],
  ...[52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63],
]

const quantizationStep = 8

/** Encodes a baseline greyscale JPEG. */
export function encodeJpeg(picture: Picture): Uint8Array {
  const { width, height } = picture
  const segment = (marker: number, ...data: number[]) => [
    ...[0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 255],
    ...data,
  ]
  return Uint8Array.from([
    ...[0xff, 0xd8],
    ...segment(0xdb, 0, ...Array<number>(64).fill(quantizationStep)),
    ...segment(0xc0, 8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0),
    ...segment(0xc4, 0x00, ...dcCounts, ...dcValues),
    ...segment(0xc4, 0x10, ...acCounts, ...acValues),
    ...segment(0xda, 1, 1, 0, 0, 63, 0),
    ...encodeScan(picture),
    ...[0xff, 0xd9],
  ])
}

function* encodeScan(picture: Picture): Generator<number> {
  const [dc, ac] = [huffmanCodes(dcCounts, dcValues), huffmanCodes(acCounts, acValues)]
  let [bits, count] = [0, 0]
  function* put([code, length]: [number, number]) {
    for (let at = length - 1; at >= 0; at--) {
      bits = (bits << 1) | ((code >> at) & 1)
      if (++count < 8) continue
      yield bits
      if (bits === 0xff) yield 0
      ;[bits, count] = [0, 0]
    }
  }
  const bitLength = (value: number) => 32 - Math.clz32(Math.abs(value))
  const valueBits = (value: number): [number, number] => [
    value < 0 ? value + (1 << bitLength(value)) - 1 : value,
    bitLength(value),
  ]
  let previousDc = 0
  for (const block of dctBlocks(picture)) {
    const difference = block[0]! - previousDc
    previousDc = block[0]!
    yield* put(dc.get(bitLength(difference))!)
    yield* put(valueBits(difference))
    let zeros = 0
    for (const at of zigzag.slice(1)) {
      const value = block[at]!
      if (value === 0) {
        zeros++
        continue
      }
      for (; zeros > 15; zeros -= 16) yield* put(ac.get(0xf0)!)
      yield* put(ac.get((zeros << 4) | bitLength(value))!)
      yield* put(valueBits(value))
      zeros = 0
    }
    if (zeros > 0) yield* put(ac.get(0)!)
  }
  while (count > 0) yield* put([1, 1])
}

function huffmanCodes(
  counts: number[],
  values: number[],
): Map<number, [code: number, length: number]> {
  const found = new Map<number, [number, number]>()
  let [code, next] = [0, 0]
  counts.forEach((count, index) => {
    for (let n = 0; n < count; n++) found.set(values[next++]!, [code++, index + 1])
    code <<= 1
  })
  return found
}

const cosines = Array.from({ length: 64 }, (_, n) =>
  Math.cos(((2 * (n >> 3) + 1) * (n & 7) * Math.PI) / 16),
)

/** Quantized DCT coefficients of the 8 × 8 blocks. Pixels beyond the edges are white. */
function* dctBlocks({ width, height, pixels }: Picture): Generator<number[]> {
  for (let top = 0; top < height; top += 8) {
    for (let left = 0; left < width; left += 8) {
      const grey = (x: number, y: number) =>
        (left + x < width && top + y < height ? pixels[(top + y) * width + left + x]! : 255) - 128
      yield Array.from({ length: 64 }, (_, n) => {
        const [v, u] = [n >> 3, n & 7]
        let sum = 0
        for (let y = 0; y < 8; y++) {
          for (let x = 0; x < 8; x++) sum += grey(x, y) * cosines[x * 8 + u]! * cosines[y * 8 + v]!
        }
        const scale = (u === 0 ? Math.SQRT1_2 : 1) * (v === 0 ? Math.SQRT1_2 : 1)
        return Math.round((sum * scale) / 4 / quantizationStep)
      })
    }
  }
}
