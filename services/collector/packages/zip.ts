import { Zip, ZipDeflate } from 'fflate'
import type { PackageFile } from './library.ts'

/** Earliest timestamp of the zip format, in local time because zip has no time zones. */
const epoch = new Date(1980, 0, 1)

/**
 * Streams a zip archive. Entries are sorted and have a fixed timestamp, so that the same files give the same
 * bytes.
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
