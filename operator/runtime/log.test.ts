import { expect, test } from 'vitest'
import { makeMetrics } from '../../services/_kit/metrics.ts'
import { makeController } from './controller.ts'
import { makeLog } from './log.ts'
import { configMap, informed } from './testing/informed.ts'

function kept(level = 'info') {
  const lines: Record<string, unknown>[] = []
  const log = makeLog(level, { write: (line) => void lines.push(JSON.parse(line)) })
  return { log, lines }
}

test('what is named like a secret is not written, whatever it is in', () => {
  const { log, lines } = kept()
  log.info({ key: 'k-1', token: 't-1', secret: { data: { url: 'u-1' }, password: 'p-1' } }, 'read')
  log.info({ access: { authorization: 'a-1', key: 'k-2' }, stringData: { x: 's-1' } }, 'asked')
  expect(JSON.stringify(lines)).not.toMatch(/[kptuas]-\d/)
  expect(lines).toMatchObject([{ msg: 'read' }, { msg: 'asked' }])
})

test('a line of a reconcile names its object', async () => {
  const { log, lines } = kept()
  const { client, informer, put, start, stop } = informed()
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
