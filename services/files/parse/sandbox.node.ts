import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Code that the parser needs. The data directory may be inside `root`, so `root` itself is not readable. */
const readable = ['services/files', 'services/_kit', 'node_modules', 'package.json'].map((path) =>
  join(root, path),
)

export interface Sandbox {
  command: string
  args: string[]
  env: Record<string, string>
}

/**
 * Command that runs a script with permission to read the installed code only: no other files, no writes, no
 * processes, and no threads, which Node would not restrict. Deno also denies the network. Node 24 cannot, so
 * on Linux the script runs in a network namespace without interfaces, if the system allows it.
 */
export async function makeSandbox(memoryMb: number): Promise<Sandbox> {
  if ('Deno' in globalThis) {
    // Without a home directory Deno needs a place for its compiler cache.
    const env = { DENO_DIR: join(tmpdir(), 'legal-suite-parser-cache') }
    return { command: process.execPath, args: denoFlags(memoryMb), env }
  }
  const node = [process.execPath, ...nodeFlags(memoryMb)]
  const [command, ...args] = (await hasNetworkNamespaces())
    ? ['unshare', ...isolate, ...node]
    : node
  return { command: command!, args, env: {} }
}

const isolate = ['--map-current-user', '--net', '--']

let namespaces: Promise<boolean> | undefined

function hasNetworkNamespaces(): Promise<boolean> {
  namespaces ??= promisify(execFile)('unshare', [...isolate, 'true']).then(
    () => true,
    () => false,
  )
  return namespaces
}

const nodeFlags = (memoryMb: number) => [
  ...['--permission', ...readable.map((path) => `--allow-fs-read=${path}`)],
  ...['--no-warnings', `--max-old-space-size=${memoryMb}`],
]

const denoFlags = (memoryMb: number) => [
  ...['run', '--no-prompt', '--no-config', '--node-modules-dir=manual'],
  ...[`--allow-read=${readable.join(',')}`, '--allow-env', '--allow-sys'],
  // mammoth sets `__proto__`, which Deno disables by default.
  ...['--unstable-unsafe-proto', `--v8-flags=--max-old-space-size=${memoryMb}`],
]
