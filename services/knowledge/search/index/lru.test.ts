import { describe, expect, test } from 'vitest'
import { Lru } from './lru.ts'

describe('Lru', () => {
  test('the least recently used entry is evicted first when the size limit is exceeded', () => {
    const lru = new Lru<number>(100, (size) => size)
    const keys = ['a', 'b', 'c', 'large']
    const there = () => keys.filter((key) => lru.get(key) !== undefined)
    lru.set('a', 50)
    lru.set('b', 40)
    expect(there()).toEqual(['a', 'b'])
    lru.get('a')
    lru.set('c', 30)
    expect(there()).toEqual(['a', 'c'])
    lru.set('large', 101)
    expect(there()).toEqual([])
  })

  test('entries are evicted in order after the cache was emptied and filled again', () => {
    const lru = new Lru<number>(3, () => 1)
    const keys = Array.from({ length: 12 }, (_, n) => String(n))
    for (const key of keys.slice(0, 6)) lru.set(key, 0)
    lru.get('3')
    for (const key of keys.slice(6, 8)) lru.set(key, 0)
    expect(keys.filter((key) => lru.get(key) !== undefined)).toEqual(['3', '6', '7'])
    const huge = new Lru<number>(3, (size) => size)
    huge.set('a', 9)
    huge.set('b', 2)
    huge.set('c', 2)
    expect([huge.get('a'), huge.get('b'), huge.get('c')]).toEqual([undefined, undefined, 2])
  })

  test('replacing an entry updates its size', () => {
    const lru = new Lru<number>(100, (size) => size)
    lru.set('a', 90)
    lru.set('a', 10)
    lru.set('b', 90)
    expect([lru.get('a'), lru.get('b')]).toEqual([10, 90])
  })
})
