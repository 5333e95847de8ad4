import * as z from 'zod'
import { Fault } from '../_kit/fault.ts'
import { loadCause } from './cause-tools.ts'
import { recognizeCause } from './causes/recognize-cause.ts'
import { loadChecklist } from './checklist-tools.ts'
import { loadFile } from './file-tools.ts'
import { checkCitations, legalElements, searchLaw } from './law-tools.ts'
import type { BoundTool } from './model/make-model.ts'
import { researchLaw, verifyCitations } from './research-tools.ts'
import { defineTool, type ToolContext, type ToolDefinition } from './tool.ts'

const RecallResponse = z.object({
  facts: z.array(
    z.object({
      entity_key: z.string(),
      category: z.string(),
      content: z.string(),
      score: z.number(),
      updated_at: z.string(),
    }),
  ),
})

const recallMemory = defineTool({
  name: 'recall_memory',
  description:
    'Recalls what is known about this person and this matter: facts, best first. Give the words to look for.',
  parameters: z.object({
    query: z.string().min(1).max(500),
    top_k: z.int().min(1).max(20).default(5),
  }),
  async run(context, { query, top_k }) {
    if (context.client_id === '') return { facts: [] }
    // Facts of the person's other cases are not searched.
    const scopes = context.matter_id
      ? [{ scope: 'global' }, { scope: 'case', case_id: context.matter_id }]
      : [{ scope: 'global' }]
    const recalled = await Promise.all(
      scopes.map((scope) =>
        context.memory.request(RecallResponse, '/api/v1/internal/memory/recall', {
          method: 'POST',
          headers: context.headers,
          body: { user_id: context.client_id, query, top_k, ...scope },
          idempotent: true,
        }),
      ),
    )
    const facts = recalled.flatMap((each) => each.facts).sort((a, b) => b.score - a.score)
    return { facts: facts.slice(0, top_k) }
  },
})

const FileText = z.object({
  text: z.string(),
  pages: z.int(),
  language: z.string().nullable(),
  truncated: z.boolean(),
})

/** Characters per call. */
const maxReadChars = 12_000

const readFile = defineTool({
  name: 'read_file',
  description:
    'Reads the text of a file that belongs to this matter, from a character on; next_offset says where it goes on.',
  parameters: z.object({
    file_id: z.string().min(1).max(200),
    offset: z.int().min(0).max(100_000_000).default(0),
  }),
  async run(context, { file_id, offset }) {
    if (!context.file_ids.includes(file_id))
      return { error: 'No such file belongs to this matter.' }
    const path = `/api/v1/internal/files/${encodeURIComponent(file_id)}/text`
    const file = await context.files.request(FileText, path, { headers: context.headers })
    const end = pageEnd(file.text, offset)
    return {
      file_id,
      pages: file.pages,
      text: file.text.slice(offset, end),
      next_offset: end < file.text.length ? end : null,
      truncated: file.truncated,
    }
  },
})

/** End of the page from `offset` on. A page does not end within a surrogate pair. */
function pageEnd(text: string, offset: number): number {
  const end = offset + maxReadChars
  return /[\ud800-\udbff]/.test(text.charAt(end - 1)) && end < text.length ? end - 1 : end
}

export const tools: ToolDefinition[] = [
  recallMemory,
  readFile,
  loadFile,
  recognizeCause,
  loadCause,
  loadChecklist,
  legalElements,
  searchLaw,
  researchLaw,
  verifyCitations,
  checkCitations,
]

/** Binds the named tools to a run. Faults of peers are returned as data. */
export function bindTools(names: string[], context: ToolContext): Record<string, BoundTool> {
  const definitions = tools.filter(({ name }) => names.includes(name))
  return Object.fromEntries(
    definitions.map(({ name, description, parameters, run }) => [
      name,
      {
        description,
        parameters,
        run: async (input: unknown) => {
          const parsed = parameters.safeParse(input)
          if (!parsed.success) return { error: z.prettifyError(parsed.error) }
          return run(context, parsed.data).catch(faultAsData)
        },
      },
    ]),
  )
}

function faultAsData(thrown: unknown) {
  if (!(thrown instanceof Fault)) throw thrown
  if (thrown.kind === 'NOT_FOUND') return { not_found: true }
  if (thrown.kind === 'CONFLICT') return { not_ready: true }
  return { unavailable: true }
}
