import * as z from 'zod'
import { Fault } from '../_kit/fault.ts'
import { defineTool, type ToolContext } from './tool.ts'

const FileInfo = z.object({
  filename: z.string(),
  contentType: z.string(),
  parseStatus: z.string(),
})
const FileText = z.object({ text: z.string(), pages: z.int(), truncated: z.boolean() })

/** Characters that are read of a file by default, and at most: about a thousand pages. */
const defaultChars = 60_000
const maxChars = 1_000_000
/** A file that is still being parsed is asked for again this often. */
const maxPolls = 40
const pollMs = 500

export const loadFile = defineTool({
  name: 'load_file',
  description:
    'Name and text of a file of this matter. A file that was not parsed yet is parsed first.',
  parameters: z.object({
    file_id: z.string().min(1).max(200),
    max_chars: z.int().min(1).max(maxChars).default(defaultChars),
  }),
  async run(context, { file_id, max_chars }) {
    if (!context.file_ids.includes(file_id))
      return { error: 'No such file belongs to this matter.' }
    const path = `/api/v1/internal/files/${encodeURIComponent(file_id)}`
    const { headers } = context
    const info = await context.files.request(FileInfo, path, { headers }).catch(withoutInfo)
    const file = await readText(context, path, headers)
    return {
      file_id,
      filename: info?.filename ?? null,
      content_type: info?.contentType ?? null,
      pages: file?.pages ?? 0,
      text: file?.text.slice(0, max_chars) ?? null,
      truncated: file !== null && (file.truncated || file.text.length > max_chars),
    }
  },
})

/** The text alone is enough to read a file. */
const withoutInfo = (thrown: unknown) => {
  if (thrown instanceof Fault) return null
  throw thrown
}

const ParseState = z.object({ parseStatus: z.string() })
const isFinal = (status: string) => ['SUCCEEDED', 'FAILED', 'UNSUPPORTED'].includes(status)

/** Reads the text, after parsing if there is none yet. Null if the file cannot be parsed in time. */
async function readText(
  { files }: ToolContext,
  path: string,
  headers: Record<string, string>,
): Promise<z.output<typeof FileText> | null> {
  const read = () => files.request(FileText, `${path}/text`, { headers }).catch(nullOnConflict)
  for (let poll = 0; poll < maxPolls; poll++) {
    const text = await read()
    if (text) return text
    const { parseStatus } = await files.request(ParseState, `${path}/parse`, {
      method: 'POST',
      body: {},
      headers,
      idempotent: true,
    })
    if (isFinal(parseStatus)) return parseStatus === 'SUCCEEDED' ? read() : null
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
  return null
}

const nullOnConflict = (thrown: unknown) => {
  if (thrown instanceof Fault && thrown.kind === 'CONFLICT') return null
  throw thrown
}
