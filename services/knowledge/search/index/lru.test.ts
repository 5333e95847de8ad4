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

  test('replacing an entry updates its size', () => {
    const lru = new Lru<number>(100, (size) => size)
    lru.set('a', 90)
    lru.set('a', 10)
    lru.set('b', 90)
    expect([lru.get('a'), lru.get('b')]).toEqual([10, 90])
  })
})
