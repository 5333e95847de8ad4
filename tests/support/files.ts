import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import files from '../../services/files/service.ts'
import { startS3 } from './s3.ts'
import { key, stage, testProject } from './stage.ts'

const api = '/api/v1/files'

export interface TestStorage {
  variables: Record<string, string>
  /** Names of all stored objects, complete or not. */
  list(): Promise<string[]>
  drop(): Promise<void>
}

/** Creates a storage: S3 on workerd, else a directory. Returns the reason if S3 is not available. */
export async function newStorage(): Promise<TestStorage | string> {
  if (testProject === 'workerd') {
    const s3 = await startS3()
    if (typeof s3 === 'string') return s3
    return { variables: { FILES_STORAGE: 's3', ...s3.variables }, list: s3.list, drop: s3.stop }
  }
  return newDirectory()
}

export function newDirectory(): TestStorage & { directory: string } {
  const directory = mkdtempSync(join(tmpdir(), 'legal-suite-files-'))
  return {
    directory,
    variables: { FILES_DIR: directory },
    list: async () =>
      readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => entry.name),
    drop: async () => rmSync(directory, { recursive: true, force: true }),
  }
}

export interface Form {
  bytes?: Uint8Array | string
  filename?: string
  fields?: Record<string, string>
}

/** Encodes a multipart form like a browser. */
export async function encodeForm({ bytes = 'Hello.', filename = 'hello.txt', fields = {} }: Form) {
  const form = new FormData()
  form.set('file', new Blob([bytes as string]), filename)
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  const response = new Response(form)
  return {
    raw: await response.bytes(),
    headers: { 'content-type': response.headers.get('content-type')! },
  }
}

/** Stages files-service. Default caller: user `ann` of organization `acme`. */
export async function stageFiles(storage: TestStorage, env: Record<string, string> = {}) {
  const at = await stage(files, {
    env: { ...storage.variables, ...env },
    headers: { 'x-user-id': 'ann' },
  })
  return {
    ...at,
    async upload(
      form: Form = {},
      headers: Record<string, string | undefined> = {},
      path = `${api}/upload`,
    ) {
      const { raw, headers: type } = await encodeForm(form)
      return at.call('POST', path, { raw, headers: { ...type, ...headers } })
    },
    /** Runs due jobs and the sweep. */
    runBackground: () => at.call('POST', '/api/v1/internal/actuator/tick'),
    /** Gets a binary response. */
    async bytes(path: string, headers: Record<string, string> = {}) {
      const response = await at.fetch(
        new Request(new URL(path, 'http://test'), {
          headers: {
            'x-internal-api-key': key,
            'x-organization-id': 'acme',
            'x-user-id': 'ann',
            ...headers,
          },
        }),
      )
      return { response, bytes: await response.bytes() }
    },
  }
}

export type FilesStage = Awaited<ReturnType<typeof stageFiles>>
