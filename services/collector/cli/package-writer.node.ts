import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Statute } from './statute.ts'

export function writePackageFile(root: string, path: string, content: string) {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}

interface Listing {
  /** Name of the base. */
  name: string
  path: string
}

interface Placement {
  part: number
  /** Last day in force; undefined while open or unknown. */
  effectiveTo: string | undefined
}

/**
 * Writes statutes one by one: the documents of each base into its listing, texts into files of their
 * own. A statute without a placement is left out. Returns the number of bytes written.
 */
export async function writeStatutes(
  root: string,
  listings: readonly Listing[],
  statutes: AsyncIterable<Statute>,
  placementOf: (index: number) => Placement | null,
): Promise<{ bytes: number }> {
  mkdirSync(join(root, 'data'), { recursive: true })
  const files = listings.map(({ path }) => openSync(join(root, path), 'w'))
  const counts = listings.map(() => 0)
  let bytes = 0
  const write = (file: number, text: string) => {
    bytes += writeSync(file, text)
  }
  try {
    for (const [part, { name }] of listings.entries()) {
      write(files[part]!, `{"kb":${JSON.stringify({ name })},"documents":[`)
    }
    let index = 0
    for await (const { document, edition, content, chunks } of statutes) {
      const placement = placementOf(index++)
      if (placement === null) continue
      const { part, effectiveTo } = placement
      // Generated names: ids may be too long for a file system, or differ only in case.
      const file = `data/texts/${String(index).padStart(4, '0')}.md`
      if (content !== undefined) {
        writePackageFile(root, file, `${content}\n`)
        bytes += Buffer.byteLength(content)
      }
      const { title, effective_from, status } = edition
      const law = { title, effective_from, effective_to: effectiveTo, status }
      const listed = {
        ...document,
        metadata: { law, ...document.metadata },
        ...(chunks ? { chunks } : { content_file: file }),
      }
      write(files[part]!, `${counts[part]!++ === 0 ? '\n' : ',\n'}${JSON.stringify(listed)}`)
    }
    for (const file of files) write(file, '\n]}\n')
  } finally {
    for (const file of files) closeSync(file)
  }
  return { bytes }
}
