import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { newDatabase } from './support/databases.ts'

const key = 'a-key-for-crash-tests'
const directory = mkdtempSync(join(tmpdir(), 'legal-suite-crash-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const base = 20_000 + (process.pid % 250) * 10
const memoryUrl = (port: number) => `http://127.0.0.1:${port}/api/v1/internal/memory`
const headers = {
  'x-internal-api-key': key,
  'x-organization-id': 'o',
  'content-type': 'application/json',
}

async function start(script: string, args: string[], env: Record<string, string>, port: number) {
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...process.env, NODE_ENV: '', LOG_LEVEL: 'silent', INTERNAL_API_KEY: key, ...env },
    stdio: 'ignore',
  })
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/internal/actuator/health`).catch(
      () => null,
    )
    if (response?.ok) return child
    if (child.exitCode !== null) throw new Error('the service exited before it was ready')
    await new Promise((go) => setTimeout(go, 50))
  }
}

/** Writes facts from concurrent clients until the service is killed. Returns the acknowledged writes. */
async function writeUntilKilled(
  port: number,
  round: number,
  child: ChildProcess,
  killAfter: number,
) {
  const acknowledged = new Map<string, string>()
  const client = async (number: number) => {
    for (let n = 0; ; n++) {
      // Half of the keys are shared by all clients, so that concurrent writers conflict.
      const entity_key = n % 2 ? `shared.${n % 10}` : `round${round}.client${number}.${n}`
      const content = `round ${round} client ${number} write ${n}`
      const body = JSON.stringify({
        user_id: 'u',
        scope: 'global',
        entity_key,
        category: 'summary',
        content,
      })
      const response = await fetch(`${memoryUrl(port)}/facts`, {
        method: 'POST',
        headers,
        body,
      }).catch(() => null)
      if (!response) return
      expect(response.status).toBeLessThan(300)
      acknowledged.set(entity_key, content)
      if (acknowledged.size === killAfter) child.kill('SIGKILL')
    }
  }
  await Promise.all(Array.from({ length: 8 }, (_, number) => client(number)))
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return acknowledged
}

async function readStoredKeys(port: number): Promise<string[]> {
  const keys: string[] = []
  for (let page = 1; ; page++) {
    const response = await fetch(`${memoryUrl(port)}/users/u/facts?size=200&page=${page}`, {
      headers,
    })
    const { data } = (await response.json()) as { data: { items: { entity_key: string }[] } }
    if (data.items.length === 0) return keys
    keys.push(...data.items.map((fact) => fact.entity_key))
  }
}

const rounds = 3

describe('kill -9 during concurrent writes loses no acknowledged fact and duplicates no key', () => {
  async function expectNoLoss(startService: () => Promise<ChildProcess>, port: number) {
    const acknowledged = new Set<string>()
    for (let round = 0; round < rounds; round++) {
      const child = await startService()
      for (const key of (await writeUntilKilled(port, round, child, 40 + round * 17)).keys())
        acknowledged.add(key)
    }
    const child = await startService()
    const keys = await readStoredKeys(port)
    child.kill('SIGTERM')
    await once(child, 'exit')
    expect(new Set(keys).size).toBe(keys.length)
    expect([...acknowledged].filter((key) => !keys.includes(key))).toEqual([])
    expect(acknowledged.size).toBeGreaterThan(100)
  }

  test('on PostgreSQL', async () => {
    const database = await newDatabase('postgres')
    const env = { DATABASE_URL: database.url, PORT: String(base) }
    await expectNoLoss(() => start('services/_run/node.ts', ['memory'], env, base), base)
    await database.drop()
  })

  test('on the embedded database', async () => {
    const env = { DATA_DIR: join(directory, 'data'), PORT: String(base + 4), DATABASE_URL: '' }
    const startService = () => start('services/_run/start.js', ['--only', 'memory'], env, base + 5)
    await expectNoLoss(startService, base + 5)
  })
})
