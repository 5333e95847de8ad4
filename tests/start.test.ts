import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { servicePort, services } from '../services/_run/services.ts'

const directory = mkdtempSync(join(tmpdir(), 'legal-suite-start-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Starts the suite like `npm start`, without npm. */
function start(env: Record<string, string>, ...args: string[]) {
  const { INTERNAL_API_KEY: _, DATABASE_URL: __, ...inherited } = process.env
  const child = spawn(process.execPath, ['services/_run/start.js', ...args], {
    env: { ...inherited, NODE_ENV: '', LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const ready = new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk
      if (output.includes('internal key:')) resolve()
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    ended.then((code) => reject(new Error(`ended with ${code}: ${output}`)))
  })
  ready.catch(() => {})
  return { child, ready, ended, output: () => output }
}

const base = 23_000 + (process.pid % 900) * 10

describe('npm start', { timeout: 180_000 }, () => {
  test('listens on every port it lists and keeps its data across restarts', async () => {
    const data = join(directory, 'data')
    const env = { PORT: String(base), DATA_DIR: data }
    const first = start(env)
    await first.ready
    expect(first.output()).toContain(`data: ${data}`)
    expect(first.output()).toMatch(/seeds: platform_defaults applied \(\d+ changes\)/)
    const page = await (await fetch(`http://127.0.0.1:${base}/services`)).text()
    for (const service of services) {
      const at = `http://127.0.0.1:${servicePort(service, base)}`
      expect(first.output()).toContain(at)
      expect(page).toContain(service.name)
      const health = await fetch(`${at}/api/v1/internal/actuator/health`)
      expect(await health.json()).toMatchObject({ status: 'UP' })
    }
    const key = readFileSync(join(data, 'internal-api-key'), 'utf8').trim()
    const memory = `http://127.0.0.1:${base + 1}/api/v1/internal/memory/facts`
    const headers = {
      'x-internal-api-key': key,
      'x-organization-id': 'o',
      'content-type': 'application/json',
    }
    const body = JSON.stringify({
      user_id: 1,
      scope: 'global',
      entity_key: 'k',
      category: 'summary',
      content: 'kept',
    })
    const { data: fact } = (await (
      await fetch(memory, { method: 'POST', headers, body })
    ).json()) as any

    const intruder = start({ PORT: String(base + 100), DATA_DIR: data })
    expect(await intruder.ended).toBe(1)
    expect(intruder.output().trim()).toBe(
      'Another process uses this data directory. Stop it first.',
    )

    first.child.kill('SIGTERM')
    expect(await first.ended).toBe(0)
    const second = start(env)
    await second.ready
    const again = (await (await fetch(`${memory}/${fact.id}`, { headers })).json()) as any
    expect(again.data).toEqual(fact)
    expect(second.output()).toMatch(/seeds: (\w+ unchanged(, )?)+\n/)
    second.child.kill('SIGTERM')
    expect(await second.ended).toBe(0)
  })

  test('starts only the services of --only', async () => {
    const partial = start(
      { PORT: String(base + 20), DATA_DIR: join(directory, 'part') },
      '--only',
      'memory',
    )
    await partial.ready
    expect(partial.output()).toContain('memory-service')
    expect(partial.output()).not.toContain('platform-service')
    partial.child.kill('SIGTERM')
    await partial.ended
  })

  test('reports in one line why it cannot start', async () => {
    const busy = createServer().listen(base + 41, '127.0.0.1')
    const port = start({ PORT: String(base + 40), DATA_DIR: join(directory, 'busy') })
    expect(await port.ended).toBe(1)
    expect(port.output().trim()).toBe(`Port ${base + 41} is in use; set PORT to another.`)
    busy.close()

    const file = join(directory, 'file')
    writeFileSync(file, '')
    const unusable = start({ PORT: String(base + 60), DATA_DIR: file })
    expect(await unusable.ended).toBe(1)
    expect(unusable.output().trim()).toBe(
      `DATA_DIR: ${file} is not writable (EEXIST). Choose another directory.`,
    )

    const unknown = start({ PORT: String(base + 60), DATA_DIR: directory }, '--only', 'astrology')
    expect(await unknown.ended).toBe(1)
    expect(unknown.output()).toContain('--only: unknown service astrology. Services: memory')
  })
})
