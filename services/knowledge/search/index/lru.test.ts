import { describe, expect, test } from 'vitest'
import { Lru } from './lru.ts'

describe('Lru', () => {
  test('the least recently used entry is evicted first when the size limit is exceeded', () => {
    const kept = new Lru<number>(100, (size) => size)
    const keys = ['a', 'b', 'c', 'large']
    const there = () => keys.filter((key) => kept.get(key) !== undefined)
    kept.set('a', 50)
    kept.set('b', 40)
    expect(there()).toEqual(['a', 'b'])
    kept.get('a')
    kept.set('c', 30)
    expect(there()).toEqual(['a', 'c'])
    kept.set('large', 101)
    expect(there()).toEqual([])
  })

  test('replacing an entry updates its size', () => {
    const kept = new Lru<number>(100, (size) => size)
    kept.set('a', 90)
    kept.set('a', 10)
    kept.set('b', 90)
    expect([kept.get('a'), kept.get('b')]).toEqual([10, 90])
  })
})
