import { expect, test } from 'vitest'
import { makeIdentityCache } from './identity-cache.ts'
import type { Principal } from './principal.ts'

const principal = { identity: { id: 'a' } } as Principal

test('an entry is served for less than a second after its query began', async () => {
  let time = 0
  const cache = makeIdentityCache(() => time)
  await cache.resolve('hash', async () => {
    time += 500
    return principal
  })
  time = 899
  expect(await cache.resolve('hash', async () => undefined)).toBe(principal)
  time = 901
  expect(await cache.resolve('hash', async () => undefined)).toBeUndefined()
})

test('a result that was read before a clear is not cached', async () => {
  const cache = makeIdentityCache()
  await cache.resolve('hash', async () => {
    cache.clear()
    return principal
  })
  expect(await cache.resolve('hash', async () => undefined)).toBeUndefined()
})
