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
import { startWebSocketProxy } from './websocket-proxy.ts'

type Variables = Record<string, string>
type Launch = (
  service: Service,
  env: Variables,
  port: number,
  resources: AsyncDisposableStack,
) => Promise<Running>

const root = fileURLToPath(new URL('../..', import.meta.url))
const entry = (file: string) => join(root, 'services/_run', file)
const actuator = '/api/v1/internal/actuator'

const launch: Record<'node' | 'deno' | 'workerd', Launch> = {
  node: async ({ folder }, env, port) =>
    run(process.execPath, [entry('node.ts'), folder], { ...env, PORT: String(port) }),

  deno: async ({ folder }, env, port) => {
    const permissions = [
      ...['--allow-env', '--allow-net', '--allow-read', '--allow-sys=hostname'],
      // Storage directory and parser process of files-service.
      ...(env.FILES_DIR ? [`--allow-write=${env.FILES_DIR}`, '--allow-run'] : []),
    ]
    const listenOptions = ['--host=127.0.0.1', `--port=${port}`]
    return run(
      binary('deno'),
      ['serve', '--no-prompt', ...permissions, ...listenOptions, entry('deno.ts'), folder],
      { ...env, DENO_DIR: join(root, 'node_modules/.cache/deno'), DENO_NO_UPDATE_CHECK: '1' },
    )
  },

  workerd: async (service, env, port, resources) => {
    const relay = resources.adopt(await startWebSocketProxy(), (relay) => relay.close())
    const directory = mkdtempSync(join(tmpdir(), 'legal-suite-edge-'))
    resources.defer(() => rmSync(directory, { recursive: true, force: true }))
    await bundle(service, directory)
    const variables = { ...env, NEON_WS_PROXY: relay.address }
    const deployment = { service, address: `127.0.0.1:${port}`, variables: Object.keys(variables) }
    const config = join(directory, 'config.capnp')
    writeFileSync(config, workerdConfig([deployment]))
    return run(binary('workerd'), ['serve', config], variables)
  },
}

export type Runtime = keyof typeof launch

/** Starts a service in its own process and serves its peers over HTTP. */
export async function startProcess(
  runtime: Runtime,
  service: Service,
  env: Variables,
  peers: Record<string, Peer>,
) {
  await using resources = new AsyncDisposableStack()
  const addresses = await servePeers(peers, resources)
  // The database is migrated already, and tests call tick instead of a timer.
  const variables = { MIGRATE: 'false', BACKGROUND: 'false', ...addresses, ...env }
  const port = await freePort()
  const process = await launch[runtime](service, variables, port, resources)
  resources.defer(() => process.stop())
  const address = `127.0.0.1:${port}`
  // The gateway has no internal paths.
  const readiness = service.folder === 'gateway' ? '/healthz' : undefined
  await waitUntilReady(process, address, readiness)

  const send = (path: string, init?: RequestInit) => fetch(`http://${address}${path}`, init)
  const moved = resources.move()
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
      // The response hides the cause; the log has it.
      if (response.status === 500) console.error(process.output().trimEnd().split('\n').at(-1))
      return response
    },
    tick: async (): Promise<number> => {
      const headers = { 'x-internal-api-key': env.INTERNAL_API_KEY ?? '' }
      const response = await send(`${actuator}/tick`, { method: 'POST', headers })
      if (!response.ok) throw new Error(`tick: ${response.status} ${await response.text()}`)
      return ((await response.json()) as { ran: number }).ran
    },
    close: () => moved.disposeAsync(),
  }
}

/** Serves the stubs. A service without a stub gets an address that refuses connections. */
async function servePeers(
  peers: Record<string, Peer>,
  resources: AsyncDisposableStack,
): Promise<Variables> {
  const addresses = services.map(({ name }) => [addressVariable(name), 'http://127.0.0.1:1'])
  for (const [name, peer] of Object.entries(peers)) {
    const server = resources.adopt(await listen(peer, 0, '127.0.0.1'), (server) => server.close(0))
    addresses.push([addressVariable(name), `http://127.0.0.1:${server.port}`])
  }
  return Object.fromEntries(addresses)
}

/** Waits until the service is ready. Throws the process output if it ends or times out. */
export async function waitUntilReady(
  process: Running,
  address: string,
  path = `${actuator}/health/readiness`,
) {
  const deadline = Date.now() + 90_000
  const probe = () =>
    fetch(`http://${address}${path}`).then(
      async (response) => (await response.text()) && response.status,
      () => 0,
    )
  for (;;) {
    const status = await probe()
    if (status === 200) return
    // A worker that cannot start responds 500 to every request.
    if (process.ended() || status === 500 || Date.now() > deadline) {
      await process.stop()
      throw new Error(`service did not become ready:\n${process.output()}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const executables = { deno: 'deno', workerd: 'bin/workerd' }

/** Path of the native executable. npm may link a wrapper script that does not forward signals. */
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
