import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type * as z from 'zod'

export type Environment = Record<string, string | undefined>

export interface CollectorTarget {
  url: string
  key: string
}

/** A failed command, with the fault code of collector-service. */
export class CommandError extends Error {
  override name = 'Refused'
  readonly code: string
  readonly data: unknown

  constructor(code: string, message: string, data: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

/**
 * Resolves URL and key of collector-service from flags, the environment or the data directory of npm start.
 */
export function resolveTarget(
  flags: { url?: string; key?: string },
  env: Environment,
): CollectorTarget {
  const port = Number(env.PORT || 8080) + 6
  const url = flags.url || env.COLLECTOR_URL || `http://127.0.0.1:${port}`
  const files = [
    ...(env.INTERNAL_API_KEY_DIR ? [join(env.INTERNAL_API_KEY_DIR, 'current')] : []),
    join(env.DATA_DIR || '.data', 'internal-api-key'),
  ]
  const keyFile = files.find((file) => existsSync(file))
  const key =
    flags.key ||
    env.INTERNAL_API_KEY ||
    (keyFile ? readFileSync(keyFile, 'utf8').split('\n')[0] : '')
  return { url: url.replace(/\/+$/, ''), key: (key ?? '').trim() }
}

const basePath = '/api/v1/internal/seed-packages'

/** Sends a request to collector-service. Throws its faults as CommandError. */
export async function requestCollector<T>(
  { url, key }: CollectorTarget,
  schema: z.ZodType<T>,
  path: string,
  body?: unknown,
): Promise<T> {
  const response = await fetch(`${url}${basePath}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-internal-api-key': key, 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  }).catch((cause: unknown) => {
    const reason = (cause as { cause?: { code?: string } }).cause?.code ?? 'no response'
    throw new CommandError(
      'UNREACHABLE',
      `collector-service is unreachable at ${url} (${reason}).`,
      null,
    )
  })
  const text = await response.text()
  let envelope: { code: unknown; message: string; data: unknown }
  try {
    envelope = JSON.parse(text)
  } catch {
    const message = `Unexpected response from ${url}: HTTP ${response.status} without an envelope.`
    throw new CommandError('UNREACHABLE', message, null)
  }
  if (envelope.code !== 0)
    throw new CommandError(String(envelope.code), envelope.message, envelope.data)
  return schema.parse(envelope.data)
}
