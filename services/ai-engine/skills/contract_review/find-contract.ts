import * as z from 'zod'
import type { SkillContext } from '../../skill.ts'
import { classifyFile } from '../evidence_analysis/kinds.ts'

const LoadedFile = z.object({
  filename: z.string().nullable(),
  content_type: z.string().nullable(),
  text: z.string().nullable(),
})

interface ContractFile {
  file_id: string
  filename: string
  text: string
}

/** Finds the contract: the last file that is one, else the last file with text. Null if none can be read. */
export async function findContract(
  fileIds: string[],
  tools: SkillContext<unknown>['tools'],
): Promise<ContractFile | null> {
  const readable: (ContractFile & { isContract: boolean })[] = []
  for (const file_id of new Set(fileIds)) {
    const file = LoadedFile.safeParse(await tools.load_file?.({ file_id })).data
    if (!file?.text?.trim()) continue
    const { kind } = classifyFile(file.filename, file.text, file.content_type)
    const filename = file.filename ?? file_id
    readable.push({ file_id, filename, text: file.text, isContract: kind === 'contract' })
  }
  const found = readable.findLast(({ isContract }) => isContract) ?? readable.at(-1)
  return found ? { file_id: found.file_id, filename: found.filename, text: found.text } : null
}
