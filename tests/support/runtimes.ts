import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { addressVariable, type Peer } from '../../services/_kit/peer.ts'
import type { Service } from '../../services/_kit/service.ts'
import { bundle } from '../../services/_run/build.ts'
import { listen } from '../../services/_run/listen.ts'
import { services } from '../../services/_run/services.ts'
import { workerdConfig } from '../../services/_run/workerd-config.ts'
import { freePort } from './free-port.ts'
import { type Running, run } from './process.ts'
import { startRelay } from './relay.ts'

type Variables = Record<string, string>
type Launch = (
  service: Service,
  env: Variables,
  port: number,
  opened: AsyncDisposableStack,
) => Promise<Running>

const root = fileURLToPath(new URL('../..', import.meta.url))
const entry = (file: string) => join(root, 'services/_run', file)
const actuator = '/api/v1/internal/actuator'

const launch: Record<'node' | 'deno' | 'workerd', Launch> = {
  node: async ({ folder }, env, port) =>
    run(process.execPath, [entry('node.ts'), folder], { ...env, PORT: String(port) }),

  deno: async ({ folder }, env, port) => {
    const allowed = [
      ...['--allow-env', '--allow-net', '--allow-read', '--allow-sys=hostname'],
      // Where files are kept, and the process that parses them.
      ...(env.FILES_DIR ? [`--allow-write=${env.FILES_DIR}`, '--allow-run'] : []),
    ]
    const where = ['--host=127.0.0.1', `--port=${port}`]
    return run(
      binary('deno'),
      ['serve', '--no-prompt', ...allowed, ...where, entry('deno.ts'), folder],
      { ...env, DENO_DIR: join(root, 'node_modules/.cache/deno'), DENO_NO_UPDATE_CHECK: '1' },
    )
  },

  workerd: async (service, env, port, opened) => {
    const relay = opened.adopt(await startRelay(), (relay) => relay.close())
    const directory = mkdtempSync(join(tmpdir(), 'legal-suite-edge-'))
    opened.defer(() => rmSync(directory, { recursive: true, force: true }))
    await bundle(service, directory)
    const told = { ...env, NEON_WS_PROXY: relay.address }
    const placed = { service, address: `127.0.0.1:${port}`, variables: Object.keys(told) }
    const config = join(directory, 'config.capnp')
    writeFileSync(config, workerdConfig([placed]))
    return run(binary('workerd'), ['serve', config], told)
  },
}

export type Runtime = keyof typeof launch

/** A service in a process of its own, its peers served to it over HTTP. */
export async function startProcess(
  runtime: Runtime,
  service: Service,
  env: Variables,
  peers: Record<string, Peer>,
) {
  await using opened = new AsyncDisposableStack()
  const addresses = await serve(peers, opened)
  // The database is ready and work is done when a test ticks, not when a timer does.
  const told = { MIGRATE: 'false', BACKGROUND: 'false', ...addresses, ...env }
  const port = await freePort()
  const process = await launch[runtime](service, told, port, opened)
  opened.defer(() => process.stop())
  const address = `127.0.0.1:${port}`
  await ready(process, address)

  const send = (path: string, init?: RequestInit) => fetch(`http://${address}${path}`, init)
  const open = opened.move()
  return {
    address,
    process,
    fetch: async (request: Request): Promise<Response> => {
      const { pathname, search } = new URL(request.url)
      const response = await send(pathname + search, {
        method: request.method,
        headers: request.headers,
        body: request.body ? await request.arrayBuffer() : null,
        redirect: 'manual',
        signal: request.signal,
      })
      // What the answer does not say, the log does.
      if (response.status === 500) console.error(process.output().trimEnd().split('\n').at(-1))
      return response
    },
    tick: async (): Promise<number> => {
      const headers = { 'x-internal-api-key': env.INTERNAL_API_KEY ?? '' }
      const response = await send(`${actuator}/tick`, { method: 'POST', headers })
      if (!response.ok) throw new Error(`tick: ${response.status} ${await response.text()}`)
      return ((await response.json()) as { ran: number }).ran
    },
    close: () => open.disposeAsync(),
  }
}

/** A service without a stub is at an address where nobody answers. */
async function serve(
  peers: Record<string, Peer>,
  opened: AsyncDisposableStack,
): Promise<Variables> {
  const addresses = services.map(({ name }) => [addressVariable(name), 'http://127.0.0.1:1'])
  for (const [name, peer] of Object.entries(peers)) {
    const server = opened.adopt(await listen(peer, 0, '127.0.0.1'), (server) => server.close(0))
    addresses.push([addressVariable(name), `http://127.0.0.1:${server.port}`])
  }
  return Object.fromEntries(addresses)
}

/** Comes back when the service at an address is ready, or fails with what its process said. */
export async function ready(process: Running, address: string) {
  const deadline = Date.now() + 30_000
  const ask = () =>
    fetch(`http://${address}${actuator}/health/readiness`).then(
      async (response) => (await response.text()) && response.status,
      () => 0,
    )
  for (;;) {
    const status = await ask()
    if (status === 200) return
    // A worker that cannot start says so with every request.
    if (process.ended() || status === 500 || Date.now() > deadline) {
      await process.stop()
      throw new Error(`It did not come up:\n${process.output()}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const executables = { deno: 'deno', workerd: 'bin/workerd' }

/** The executable itself: what npm links may be a script, which dies without its child. */
export function binary(name: keyof typeof executables): string {
  const require = createRequire(import.meta.url)
  const { optionalDependencies } = require(`${name}/package.json`)
  for (const each of Object.keys(optionalDependencies)) {
    try {
      return join(dirname(require.resolve(`${each}/package.json`)), executables[name])
    } catch {}
  }
  throw new Error(`${name} is not installed for this platform`)
}
