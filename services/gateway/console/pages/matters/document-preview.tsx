import type { Deliverable } from '../../api/types.ts'
import { useLoad } from '../../api/use-load.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Loaded } from '../../ui/state.tsx'
import { loadDocx } from './load-docx.ts'
import type { Block } from './read-docx.ts'

interface DocumentPreviewProps {
  deliverable: Deliverable
  onClose: () => void
}

/** The text of a Word document: headings, paragraphs and tables. */
export function DocumentPreview({ deliverable, onClose }: DocumentPreviewProps) {
  const load = useLoad(deliverable.deliverable_key, (signal) => loadDocx(deliverable, signal))
  return (
    <Dialog title={deliverable.title} onClose={onClose}>
      <Loaded load={load}>
        {(blocks) => (
          <article class="document">
            {blocks.map((block, index) => (
              <DocumentBlock key={index} block={block} />
            ))}
          </article>
        )}
      </Loaded>
    </Dialog>
  )
}

function DocumentBlock({ block }: { block: Block }) {
  if (block.kind === 'paragraph') {
    return <p class={block.isHeading ? 'document-heading' : undefined}>{block.text}</p>
  }
  const columns = Math.max(...block.rows.map((row) => row.length))
  return (
    <div class="table-scroll">
      <table>
        <tbody>
          {block.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, index) => (
                <td key={index} colSpan={row.length === 1 ? columns : 1}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
