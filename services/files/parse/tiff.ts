import { limits, UnreadableFile } from './limits.ts'

export const isLittleEndian = (view: DataView) => view.getUint16(0) === 0x4949

export function isTiff(bytes: Uint8Array): boolean {
  const start = String.fromCharCode(...bytes.subarray(0, 4))
  return start === 'II*\0' || start === 'MM\0*'
}

/**
 * Splits a TIFF into its pages. Each page is a copy of the file whose header names the directory of that page
 * as the first one, because decoders read the first page only. Copies are made one at a time.
 */
export function splitTiff(bytes: Uint8Array): { length: number } & Iterable<Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const little = isLittleEndian(view)
  const directories = readDirectories(view, little)
  return {
    length: directories.length,
    *[Symbol.iterator]() {
      for (const directory of directories) {
        const page = bytes.slice()
        new DataView(page.buffer).setUint32(4, directory, little)
        yield page
      }
    },
  }
}

/** Offsets of the directories in order. A chain with a cycle is damaged. */
function readDirectories(view: DataView, little: boolean): number[] {
  const found = new Set<number>()
  try {
    for (let at = view.getUint32(4, little); at !== 0; at = nextDirectory(view, at, little)) {
      if (found.has(at)) throw new UnreadableFile('The image is damaged.')
      found.add(at)
      if (found.size > limits.pages) break
    }
  } catch (thrown) {
    throw thrown instanceof RangeError ? new UnreadableFile('The image is damaged.') : thrown
  }
  return [...found]
}

const nextDirectory = (view: DataView, at: number, little: boolean) =>
  view.getUint32(at + 2 + 12 * view.getUint16(at, little), little)
