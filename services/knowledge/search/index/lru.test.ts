import { describe, expect, test } from 'vitest'
import { Lru } from './lru.ts'

describe('what was used last', () => {
  test('is kept the longest, within the bound', () => {
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

  test('is measured anew where it is put again', () => {
    const kept = new Lru<number>(100, (size) => size)
    kept.set('a', 90)
    kept.set('a', 10)
    kept.set('b', 90)
    expect([kept.get('a'), kept.get('b')]).toEqual([10, 90])
  })
})
