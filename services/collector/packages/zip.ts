import { Zip, ZipDeflate } from 'fflate'
import type { PackageFile } from './library.ts'

/** The first moment that a zip can tell, in whatever zone the process lives: zips know none. */
const epoch = new Date(1980, 0, 1)

/**
 * A zip archive, made as it is read. Entries are in order and carry no times of their own, so that the
 * same files make the same bytes.
 */
export function zipStream(
  folder: string,
  files: ReadonlyMap<string, PackageFile>,
): ReadableStream<Uint8Array> {
  const remaining = [...files].sort(([one], [other]) => (one < other ? -1 : 1))
  let zip: Zip
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        zip = new Zip((fault, chunk, final) => {
          if (fault) return controller.error(fault)
          controller.enqueue(chunk)
          if (final) controller.close()
        })
      },
      async pull() {
        const next = remaining.shift()
        if (!next) return zip.end()
        const [path, file] = next
        const entry = new ZipDeflate(`${folder}/${path}`, { level: 6 })
        entry.mtime = epoch
        entry.attrs = 0o644 << 16
        entry.os = 3
        zip.add(entry)
        entry.push(await file.read(), true)
      },
    },
    { highWaterMark: 0 },
  )
}
