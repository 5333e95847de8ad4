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

test('concurrent requests share one query, but not with requests before a clear', async () => {
  const cache = makeIdentityCache()
  const { promise, resolve } = Promise.withResolvers<Principal | undefined>()
  let queries = 0
  const load = () => {
    queries++
    return promise
  }
  const before = [cache.resolve('a', load), cache.resolve('a', load)]
  expect(queries).toBe(1)
  cache.clear()
  const after = cache.resolve('a', async () => undefined)
  resolve(principal)
  expect(await Promise.all(before)).toEqual([principal, principal])
  expect(await after).toBeUndefined()
})

test('a failed query and an unknown credential are not cached', async () => {
  const cache = makeIdentityCache()
  await expect(cache.resolve('a', () => Promise.reject(new Error('down')))).rejects.toThrow('down')
  expect(await cache.resolve('a', async () => undefined)).toBeUndefined()
  expect(await cache.resolve('a', async () => principal)).toBe(principal)
})
