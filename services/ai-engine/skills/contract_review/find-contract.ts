import * as z from 'zod'
import type { SkillContext } from '../../skill.ts'
import { classifyFile } from '../evidence_analysis/kinds.ts'

const LoadedFile = z.object({
  filename: z.string().nullable(),
  content_type: z.string().nullable(),
  text: z.string().nullable(),
  truncated: z.boolean().default(false),
})

/** Characters of a contract that are read: a redline needs the whole text. */
const maxChars = 1_000_000

interface ContractFile {
  file_id: string
  filename: string
  text: string
  /** Whether the text goes on beyond what was read. */
  truncated: boolean
}

/** Finds the contract: the last file that is one, else the last file with text. Null if none can be read. */
export async function findContract(
  fileIds: string[],
  tools: SkillContext<unknown>['tools'],
): Promise<ContractFile | null> {
  const readable: (ContractFile & { isContract: boolean })[] = []
  for (const file_id of new Set(fileIds)) {
    const file = LoadedFile.safeParse(
      await tools.load_file?.({ file_id, max_chars: maxChars }),
    ).data
    if (!file?.text?.trim()) continue
    const { kind } = classifyFile(file.filename, file.text, file.content_type)
    const filename = file.filename ?? file_id
    const { text, truncated } = file
    readable.push({ file_id, filename, text, truncated, isContract: kind === 'contract' })
  }
  const found = readable.findLast(({ isContract }) => isContract) ?? readable.at(-1)
  if (!found) return null
  const { isContract: _, ...contract } = found
  return contract
}
