import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Stage, stage } from '../../../tests/support/stage.ts'
import gateway from '../service.ts'

let at: Stage
beforeAll(async () => {
  at = await stage(gateway, { env: { HOST: '127.0.0.1' } })
})
afterAll(() => at.close())

const load = async (path: string) => {
  const response = await at.fetch(new Request(`http://127.0.0.1${path}`))
  return { response, text: await response.text() }
}

test('every path of the console returns its page, which is not cached and allows no inline script', async () => {
  for (const path of ['/', '/consultations/new', '/matters/1', '/knowledge']) {
    const { response, text } = await load(path)
    expect(response.status, path).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-cache')
    expect(response.headers.get('content-security-policy')).toMatch(/script-src 'self';/)
    expect(response.headers.get('content-security-policy')).not.toMatch(/unsafe/)
    expect(text).toContain('<div id="app">')
  }
})

test('assets of the page are scripts that are cached for a year', async () => {
  const { text } = await load('/')
  const [, script] = /src="(\/assets\/main-\w+\.js)"/.exec(text)!
  const { response, text: content } = await load(script!)
  expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(content).toContain('import')
})

test('a name that is no asset is 404', async () => {
  for (const name of ['main.js', 'index.html', '..%2Fconsole%2Findex.html']) {
    const { response } = await load(`/assets/${name}`)
    expect(response.status, name).toBe(404)
  }
})
