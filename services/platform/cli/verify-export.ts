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
 * Verifies an exported chain: hashes, order, and the signature of every checkpoint. `keys` are HMAC secrets or
 * Ed25519 keys, several after a rotation. With keys, the last entry must be signed: whoever rewrites a chain
 * can leave out its checkpoints. The public key inside the file proves nothing about its origin and is not
 * used.
 */
export async function verifyExport(
  lines: AsyncIterable<string>,
  keys: readonly string[],
): Promise<ExportVerdict> {
  const signers = await loadSigners(keys)
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
      const problem = await checkpointProblem(line.checkpoint, hashes, previous, signers)
      if (problem) return invalidVerdict(problem)
      verdict.checkpoints++
      if (signers) verdict.signedEntries = Math.max(verdict.signedEntries, line.checkpoint.seq)
    }
  }
  if (signers && verdict.signedEntries < verdict.entries) {
    return invalidVerdict(`No checkpoint signs the entries after ${verdict.signedEntries}.`)
  }
  return verdict
}

/** Signers by the id of their key, or undefined without keys. */
async function loadSigners(keys: readonly string[]) {
  const signers = keys.map(makeSigner)
  const ids = await Promise.all(signers.map((signer) => signer.keyId()))
  return keys.length > 0
    ? new Map(signers.map((signer, index) => [ids[index]!, signer]))
    : undefined
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
  signers: ReadonlyMap<string, Signer> | undefined,
): Promise<string | null> {
  const { seq, hash, organization_id, key_id } = checkpoint
  if (organization_id !== last.organization_id) return `Checkpoint ${seq} is of another chain.`
  if (hashes.get(seq) !== hash) return `The chain differs from checkpoint ${seq}.`
  if (!signers) return null
  const signer = signers.get(key_id)
  if (!signer) return `Checkpoint ${seq} is signed with the key ${key_id}, which was not given.`
  return (await signer.verify(checkpoint)) ? null : `The signature of checkpoint ${seq} is invalid.`
}
