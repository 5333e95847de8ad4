import * as z from 'zod'
import { AuditEntry, genesis, hashEntry } from '../audit-chain.ts'
import { Checkpoint, makeSigner, type Signer } from '../audit-signing.ts'

const Line = z.union([
  z.object({ entry: AuditEntry.extend({ details: z.unknown() }) }),
  z.object({ checkpoint: Checkpoint }),
  z.object({ public_key: z.string().nullable() }),
])

export interface ExportVerdict {
  valid: boolean
  entries: number
  /** Entries up to the last valid checkpoint. */
  signedEntries: number
  checkpoints: number
  problem: string | null
}

/**
 * Verifies an exported chain: hashes, order, and the signature of every checkpoint. `key` is the HMAC secret
 * or an Ed25519 key. The public key inside the file proves nothing about its origin and is not used.
 */
export async function verifyExport(
  lines: AsyncIterable<string>,
  key: string | undefined,
): Promise<ExportVerdict> {
  const signer = key === undefined ? undefined : makeSigner(key)
  const hashes = new Map<number, string>()
  const verdict = { valid: true, entries: 0, signedEntries: 0, checkpoints: 0, problem: null }
  const invalidVerdict = (problem: string): ExportVerdict => ({ ...verdict, valid: false, problem })
  let previous: { seq: number; hash: string; organization_id?: string } = genesis
  for await (const text of lines) {
    if (text.trim() === '') continue
    const line = parseLine(text)
    if (!line) return invalidVerdict(`Line is not part of an export: ${text.slice(0, 80)}`)
    if ('entry' in line) {
      const { entry } = line
      const organization = previous.organization_id ?? entry.organization_id
      if (entry.seq !== previous.seq + 1)
        return invalidVerdict(`Entry ${previous.seq + 1} is missing.`)
      if (entry.organization_id !== organization || entry.prev_hash !== previous.hash) {
        return invalidVerdict(`Entry ${entry.seq} does not follow entry ${previous.seq}.`)
      }
      if (entry.hash !== (await hashEntry(entry)))
        return invalidVerdict(`Entry ${entry.seq} was changed.`)
      hashes.set(entry.seq, entry.hash)
      previous = entry
      verdict.entries++
    } else if ('checkpoint' in line) {
      const problem = await checkpointProblem(line.checkpoint, hashes, previous, signer)
      if (problem) return invalidVerdict(problem)
      verdict.checkpoints++
      if (signer) verdict.signedEntries = Math.max(verdict.signedEntries, line.checkpoint.seq)
    }
  }
  return verdict
}

function parseLine(text: string) {
  try {
    return Line.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

async function checkpointProblem(
  checkpoint: Checkpoint,
  hashes: ReadonlyMap<number, string>,
  last: { organization_id?: string },
  signer: Signer | undefined,
): Promise<string | null> {
  const { seq, hash, organization_id } = checkpoint
  if (organization_id !== last.organization_id) return `Checkpoint ${seq} is of another chain.`
  if (hashes.get(seq) !== hash) return `The chain differs from checkpoint ${seq}.`
  if (signer && !(await signer.verify(checkpoint))) {
    return `The signature of checkpoint ${seq} does not match the key.`
  }
  return null
}
