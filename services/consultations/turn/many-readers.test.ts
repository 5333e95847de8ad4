import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { makeMatterPeer, parseEvents, sessionsPath } from '../../../tests/support/consultations.ts'
import { newDatabase } from '../../../tests/support/databases.ts'
import { startProcess } from '../../../tests/support/runtimes.ts'
import { end, gate, scriptedEngine, token } from '../../../tests/support/scripted-engine.ts'
import { key } from '../../../tests/support/stage.ts'
import consultations from '../service.ts'

const engine = scriptedEngine()
const database = await newDatabase('postgres')
afterAll(() => database.drop())

/** Starts the service in a process of its own. */
async function start(env: Record<string, string> = {}) {
  const variables = {
    INTERNAL_API_KEY: key,
    DATABASE_URL: database.url,
    LOG_LEVEL: 'error',
    ...env,
  }
  const peers = { 'ai-engine': engine.peer, 'matter-service': makeMatterPeer().peer }
  const { address, process, close } = await startProcess('node', consultations, variables, peers)
  const send = (path: string, init: RequestInit = {}) =>
    fetch(`http://${address}${path}`, {
      ...init,
      headers: {
        'x-user-id': 'u',
        'x-organization-id': 'acme',
        'content-type': 'application/json',
      },
    })
  const post = (path: string, body: unknown) =>
    send(path, { method: 'POST', body: JSON.stringify(body) })
  const open = async (): Promise<string> => {
    const { data } = (await (await post(sessionsPath, {})).json()) as any
    return `${sessionsPath}/${data.id}`
  }
  /** Resident memory in MiB. */
  const memory = () =>
    Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${process.pid}/status`, 'utf8'))![1]) /
    1024
  return { send, post, open, memory, close }
}

describe.runIf(process.platform === 'linux')('subscribers', () => {
  test('a slow subscriber takes no memory and misses no event', { timeout: 180_000 }, async () => {
    const at = await start({ NODE_OPTIONS: '--max-old-space-size=96' })
    const events = 40_000
    const word = 'x'.repeat(2_500)
    engine.state.plan = async function* () {
      for (let n = 0; n < events; n++) {
        yield token(`${n} ${word}`)
        if (n % 100 === 0) await new Promise((go) => setImmediate(go))
      }
      yield end('done')
    }
    const session = await at.open()
    const before = at.memory()
    const slow = await at.post(`${session}/chat`, { content: 'much' })
    let maxGrowth = 0
    const countMessages = async () => {
      maxGrowth = Math.max(maxGrowth, at.memory() - before)
      const { data } = (await (await at.send(`${session}/messages`)).json()) as any
      return data.total
    }
    await expect.poll(countMessages, { timeout: 150_000, interval: 200 }).toBe(2)
    // The turn produced 100 MB without readers.
    expect(maxGrowth).toBeLessThan(200)
    const shown = parseEvents(await slow.text())
    expect(shown).toHaveLength(events + 1)
    expect(shown.every(({ id }, index) => id.endsWith(`:${index + 1}`))).toBe(true)
    const number = (n: number) => shown[n]!.data.content.split(' ')[0]
    expect([0, 1, 20_000, 39_999].map(number)).toEqual(['0', '1', '20000', '39999'])
    await at.close()
  })

  test('a thousand waiting subscribers all receive the end', { timeout: 120_000 }, async () => {
    const at = await start()
    const paused = gate()
    engine.state.plan = async function* () {
      yield token('wait')
      await paused.opened
      yield end('wait no more')
    }
    const streams: Response[] = []
    for (let batch = 0; batch < 50; batch++) {
      const some = Array.from({ length: 20 }, async () =>
        at.post(`${await at.open()}/chat`, { content: 'hello' }),
      )
      streams.push(...(await Promise.all(some)))
    }
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200))
    paused.open()
    const texts = await Promise.all(streams.map((stream) => stream.text()))
    const endings = texts.map((text) => parseEvents(text).map(({ event }) => event))
    expect(endings).toEqual(streams.map(() => ['delta', 'end']))
    await at.close()
  })
})
