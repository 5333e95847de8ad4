/** One entry of an archive. A directory has no content. */
export interface TarEntry {
  path: string
  content?: Buffer
  isExecutable?: boolean
}

const blockSize = 512

/** Writes a ustar archive. Owner is root, time is 0: equal entries give equal bytes. */
export function writeTar(entries: TarEntry[]): Buffer {
  const blocks = entries.flatMap(({ path, content, isExecutable }) => [
    header(path, content, isExecutable || !content ? 0o755 : 0o644),
    ...(content ? [content, Buffer.alloc(padding(content.length))] : []),
  ])
  return Buffer.concat([...blocks, Buffer.alloc(2 * blockSize)])
}

/** Reads the files of a tar archive, such as the output of `docker save`. */
export function readTar(archive: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>()
  let offset = 0
  while (offset + blockSize <= archive.length && archive[offset] !== 0) {
    const text = (from: number, length: number) =>
      archive.toString('utf8', offset + from, offset + from + length).replace(/\0.*$/s, '')
    const size = Number.parseInt(text(124, 12), 8) || 0
    const prefix = text(345, 155)
    const path = (prefix ? `${prefix}/${text(0, 100)}` : text(0, 100)).replace(/^\.\//, '')
    const start = offset + blockSize
    if (['', '0'].includes(text(156, 1))) files.set(path, archive.subarray(start, start + size))
    offset = start + size + padding(size)
  }
  return files
}

const padding = (size: number) => (blockSize - (size % blockSize)) % blockSize

function header(path: string, content: Buffer | undefined, mode: number): Buffer {
  const block = Buffer.alloc(blockSize)
  const { name, prefix } = splitPath(content ? path : `${path}/`)
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')
  block.write(name, 0)
  block.write(octal(mode, 7), 100)
  block.write(octal(0, 7), 108)
  block.write(octal(0, 7), 116)
  block.write(octal(content?.length ?? 0, 11), 124)
  block.write(octal(0, 11), 136)
  block.write(' '.repeat(8), 148)
  block.write(content ? '0' : '5', 156)
  block.write('ustar\x0000', 257)
  block.write(prefix, 345)
  const checksum = block.reduce((sum, byte) => sum + byte, 0)
  block.write(`${octal(checksum, 6)}\0 `, 148)
  return block
}

/** Splits a path at a slash: ustar has 100 bytes for the end and 155 for the beginning. */
function splitPath(path: string): { name: string; prefix: string } {
  if (Buffer.byteLength(path) <= 100) return { name: path, prefix: '' }
  for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)]
    if (name && Buffer.byteLength(name) <= 100 && Buffer.byteLength(prefix) <= 155)
      return { name, prefix }
  }
  throw new Error(`the path does not fit into a tar header: ${path}`)
}
