import { send } from '../../api/client.ts'
import type { Deliverable } from '../../api/types.ts'
import { downloadPath } from './download-path.ts'
import { type Block, readDocx } from './read-docx.ts'

/** Downloads a Word document and reads its text. */
export async function loadDocx(deliverable: Deliverable, signal: AbortSignal): Promise<Block[]> {
  const response = await send(downloadPath(deliverable) ?? '', { signal })
  return readDocx(new Uint8Array(await response.arrayBuffer()))
}

/** One line for each paragraph and each row of a table. */
export const joinBlocks = (blocks: Block[]): string =>
  blocks
    .flatMap((block) =>
      block.kind === 'paragraph' ? [block.text] : block.rows.map((row) => row.join(' | ')),
    )
    .filter((line) => line.trim() !== '')
    .join('\n')
