import { errorFields, type Log } from '../../services/_kit/log.ts'
import type { Transport } from './transport.ts'

type Version = { major: number; minor: number }

/** The API server is older than the minimum version. */
export class UnsupportedVersionError extends Error {
  override name = 'UnsupportedVersionError'
}

/**
 * Throws if the API server is older than the minimum version. A server that does not report its version is
 * accepted: it may start at the same time as this process.
 */
export async function requireServerVersion(
  transport: Transport,
  minimum: Version,
  log: Log,
  deadlineMs = 10_000,
): Promise<void> {
  const version = await readVersion(transport, AbortSignal.timeout(deadlineMs)).catch(
    (error: unknown) => log.warn(errorFields(error), 'server version unknown'),
  )
  if (!version) return
  const { major, minor } = version
  if (major > minimum.major || (major === minimum.major && minor >= minimum.minor)) return
  throw new UnsupportedVersionError(
    `Kubernetes ${major}.${minor} is not supported. The operator requires ${minimum.major}.${minimum.minor} or later.`,
  )
}

async function readVersion(transport: Transport, signal: AbortSignal): Promise<Version> {
  const headers = { accept: 'application/json' }
  const response = await transport({ method: 'GET', path: '/version', headers, signal })
  const chunks: Uint8Array[] = []
  for await (const chunk of response.body) chunks.push(chunk)
  if (response.status !== 200) throw new Error(`GET /version: HTTP ${response.status}`)
  const body = JSON.parse(Buffer.concat(chunks).toString('utf8'))
  // Distributions append a sign to the minor version: "30+".
  const [major, minor] = [parseInt(body.major, 10), parseInt(body.minor, 10)]
  if (Number.isNaN(major) || Number.isNaN(minor)) throw new Error('GET /version: invalid response')
  return { major, minor }
}
