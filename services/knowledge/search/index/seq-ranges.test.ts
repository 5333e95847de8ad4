import { describe, expect, test } from 'vitest'
import { noBase, SeqRanges } from './seq-ranges.ts'

const range = (first_seq: number, end_seq: number, base: number) => ({ first_seq, end_seq, base })

describe('the ranges of a shard', () => {
  const ranges = new SeqRanges(1).extend([range(0, 3, 7), range(5, 6, 8), range(6, 9, 7)], 9)

  test('a sequence number has the base of its range, and none in a gap or beyond the end', () => {
    const bases = Array.from({ length: 10 }, (_, seq) => ranges.baseOf(seq))
    expect(bases).toEqual([7, 7, 7, noBase, noBase, 8, 7, 7, 7, noBase])
  })

  test('only the numbers of searched bases are marked, and nothing if all are searched', () => {
    expect(ranges.mark(new Set([7]), 9)).toEqual(Uint8Array.of(1, 1, 1, 0, 0, 0, 1, 1, 1))
    expect(ranges.mark(new Set([7, 8]), 9)).toEqual(Uint8Array.of(1, 1, 1, 0, 0, 1, 1, 1, 1))
    expect(ranges.mark(new Set([7, 8]), 3)).toBeUndefined()
    const whole = new SeqRanges(1).extend([range(0, 2, 7), range(2, 4, 8)], 4)
    expect(whole.mark(new Set([7, 8]), 4)).toBeUndefined()
    // Numbers that were assigned after the ranges were read may belong to any base.
    expect(whole.mark(new Set([7, 8]), 5)).toEqual(Uint8Array.of(1, 1, 1, 1, 0))
  })

  test('ranges that grew are read on from where they were covered, up to the known end', () => {
    const grown = ranges.extend([range(6, 12, 7), range(12, 20, 8)], 14)
    expect(grown.coveredUntil).toBe(14)
    expect([9, 11, 12, 13, 14].map(grown.baseOf)).toEqual([7, 7, 8, 8, noBase])
    expect(ranges.baseOf(9)).toBe(noBase)
  })
})
