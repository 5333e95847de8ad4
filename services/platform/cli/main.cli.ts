import { createReadStream, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { verifyExport } from './verify-export.ts'

const usage = `Usage: legal-audit verify FILE [--key-file FILE]… [--checkpoint FILE]

Verifies an export of the audit log offline.

  FILE                NDJSON of GET /api/v1/audit-logs/export
  --key-file FILE     HMAC secret, or Ed25519 public or private key (PEM); repeat it for former keys
  --checkpoint FILE   a checkpoint saved earlier (JSON) that the export must contain

Exit codes: 0 valid, 1 invalid, 2 usage.`

/** Runs the command and returns its exit code. */
export async function main(args: string[]): Promise<number> {
  const parsed = parse(args)
  if (!parsed) {
    console.error(usage)
    return 2
  }
  const { file, keyFiles, checkpoint } = parsed
  const keys = keyFiles.map((keyFile) => readFileSync(keyFile, 'utf8').trim())
  const verdict = await verifyExport(readLines(file, checkpoint), keys)
  console.log(JSON.stringify({ ...verdict, signatures_checked: keys.length > 0 }, null, 2))
  return verdict.valid ? 0 : 1
}

function parse(args: string[]) {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        'key-file': { type: 'string', multiple: true, default: [] },
        checkpoint: { type: 'string' },
      },
    })
    const [command, file, ...rest] = positionals
    if (command !== 'verify' || file === undefined || rest.length > 0) return undefined
    return { file, keyFiles: values['key-file'], checkpoint: values.checkpoint }
  } catch {
    return undefined
  }
}

/** Lines of the export, followed by the checkpoint that was saved earlier. */
async function* readLines(file: string, checkpoint: string | undefined) {
  yield* createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity })
  if (checkpoint === undefined) return
  const saved = JSON.parse(readFileSync(checkpoint, 'utf8'))
  yield JSON.stringify({ checkpoint: saved.data ?? saved.checkpoint ?? saved })
}
