import { expect, test } from 'vitest'
import { makeMetrics } from '../../services/_kit/metrics.ts'
import { makeController } from './controller.ts'
import { makeLog } from './log.ts'
import { configMap, makeInformerFixture } from './testing/informer-fixture.ts'

function captureLog(level = 'info') {
  const lines: Record<string, unknown>[] = []
  const log = makeLog(level, { write: (line) => void lines.push(JSON.parse(line)) })
  return { log, lines }
}

test('secret fields are redacted at any depth', () => {
  const { log, lines } = captureLog()
  log.info({ key: 'k-1', token: 't-1', secret: { data: { url: 'u-1' }, password: 'p-1' } }, 'read')
  log.info({ access: { authorization: 'a-1', key: 'k-2' }, stringData: { x: 's-1' } }, 'asked')
  expect(JSON.stringify(lines)).not.toMatch(/[kptuas]-\d/)
  expect(lines).toMatchObject([{ msg: 'read' }, { msg: 'asked' }])
})

test('log lines of a reconcile name the object', async () => {
  const { log, lines } = captureLog()
  const { client, informer, put, start, stop } = makeInformerFixture()
  put(configMap('a'))
  const watching = start()
  const end = new AbortController()
  const reconcile = async () => {
    end.abort()
    throw new Error('not today')
  }
  const { signal } = end
  const { signal: lost } = new AbortController()
  const options = { name: 'test', watches: [{ informer }], reconcile }
  await makeController(options, { client, log, metrics: makeMetrics() }).run({
    stop: signal,
    lost,
    remaining: () => 5_000,
  })
  stop()
  await watching
  expect(lines).toEqual([
    expect.objectContaining({
      level: 'error',
      controller: 'test',
      object: 'ns/a',
      reconcileId: expect.any(String),
    }),
  ])
})
