import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { buildSuite } from '../testing/suites.ts'
import { makeCollector } from './collector.ts'

async function startServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => server.closeAllConnections() ?? void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const spec = { suiteRef: { name: 'demo' }, packageIds: ['one'] }
const apply = (address: string) =>
  makeCollector({ address })(buildSuite(), 'key', 'run', spec, new AbortController().signal)

test('a redirect is not followed, so the internal key reaches no other server', async () => {
  const keys: unknown[] = []
  const other = await startServer((request, response) => {
    keys.push(request.headers['x-internal-api-key'])
    response.end('{}')
  })
  const address = await startServer((_, response) =>
    response.writeHead(307, { location: other }).end(),
  )
  expect(await apply(address)).toMatchObject({ retryable: { reason: 'CollectorUnavailable' } })
  expect(keys).toEqual([])
})

test('an endless response is abandoned at the size limit', async () => {
  let sentBytes = 0
  const chunk = Buffer.alloc(1024 * 1024, ' ')
  const address = await startServer((_, response) => {
    const write = () => {
      do sentBytes += chunk.length
      while (response.write(chunk))
    }
    response.on('drain', write)
    write()
  })
  expect(await apply(address)).toMatchObject({ retryable: { reason: 'CollectorUnavailable' } })
  expect(sentBytes).toBeLessThan(64 * 1024 * 1024)
})

test('a result of another form is reported, not thrown', async () => {
  const body = JSON.stringify({ code: 0, message: 'ok', data: { run_id: 'run', status: 'great' } })
  const address = await startServer((_, response) => response.end(body))
  expect(await apply(address)).toEqual({
    retryable: {
      reason: 'CollectorUnavailable',
      message: 'collector-service returned an invalid response (HTTP 200)',
    },
  })
})
