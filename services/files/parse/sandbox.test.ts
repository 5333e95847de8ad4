import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { makeSandbox } from './sandbox.node.ts'

const directory = mkdtempSync(join(tmpdir(), 'legal-suite-sandbox-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Runs code with the permissions of the parser and returns the codes or messages of its errors. */
async function runInside(attempts: Record<string, string>) {
  const { command, args, env } = await makeSandbox(256)
  const guard = resolve('services/files/parse/no-network.worker.ts')
  const code = `
    await import(${JSON.stringify(guard)})
    const results = {}
    const tries = {${Object.entries(attempts).map(([name, body]) => `${name}: async () => {${body}}`)}}
    for (const [name, attempt] of Object.entries(tries)) {
      results[name] = await attempt().then(() => 'allowed', (error) => error.code ?? error.message)
    }
    console.log(JSON.stringify(results))
    process.exit(0)`
  const options = { env, encoding: 'utf8', timeout: 20_000 } as const
  const child = spawnSync(command, [...args, '--input-type=module', '-e', code], options)
  return JSON.parse(child.stdout || JSON.stringify({ stderr: child.stderr }))
}

test('the parser process reads its code only, writes nothing and starts no process or thread', async () => {
  const secret = join(directory, 'secret')
  writeFileSync(secret, 'secret')
  const read = (path: string) => `(await import('node:fs')).readFileSync(${JSON.stringify(path)})`
  expect(
    await runInside({
      ownCode: read(resolve('services/files/parse/main.worker.ts')),
      dataDirectory: read(resolve('.data/internal-api-key')),
      packageLock: read(resolve('package-lock.json')),
      otherFile: read(secret),
      write: `(await import('node:fs')).writeFileSync(${JSON.stringify(join(directory, 'x'))}, '')`,
      spawn: "(await import('node:child_process')).spawnSync('true')",
      thread: "new (await import('node:worker_threads')).Worker('', { eval: true, execArgv: [] })",
    }),
  ).toEqual({
    ownCode: 'allowed',
    dataDirectory: 'ERR_ACCESS_DENIED',
    packageLock: 'ERR_ACCESS_DENIED',
    otherFile: 'ERR_ACCESS_DENIED',
    write: 'ERR_ACCESS_DENIED',
    spawn: 'ERR_ACCESS_DENIED',
    thread: 'ERR_ACCESS_DENIED',
  })
}, 60_000)

test('the parser process has no network', async () => {
  const connections = vi.fn()
  const server = createServer(connections)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { port: number }
  const url = `http://127.0.0.1:${port}/`
  const results = await runInside({
    fetch: `await fetch('${url}', { signal: AbortSignal.timeout(3000) })`,
    socket: `await new Promise((resolve, reject) => import('node:net').then(({ connect }) =>
      connect(${port}, '127.0.0.1', resolve).on('error', reject)).catch(reject))`,
    dns: "await (await import('node:dns/promises')).resolve4('example.org')",
  })
  server.close()
  expect(Object.keys(results)).toEqual(['fetch', 'socket', 'dns'])
  expect(Object.values(results)).not.toContain('allowed')
  expect(connections).not.toHaveBeenCalled()
}, 60_000)
