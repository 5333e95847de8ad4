import { expect, test } from 'vitest'
import { defaultCacheMebibytes } from './default-budget.ts'

const gibibyte = 2 ** 30

test.each([
  ['a container limit of 1 GiB', { constrainedMemory: () => gibibyte }, 128],
  [
    'no limit and 4 GiB available',
    { constrainedMemory: () => 0, availableMemory: () => 4 * gibibyte },
    512,
  ],
  ['an absurd limit', { constrainedMemory: () => 2 ** 64, availableMemory: () => gibibyte }, 128],
  ['64 GiB', { constrainedMemory: () => 64 * gibibyte }, 2_048],
  ['64 MiB', { constrainedMemory: () => gibibyte / 16 }, 32],
  ['a runtime that does not tell', {}, 64],
])(
  'with %s, the default cache size is an eighth of the memory, within bounds',
  (_, info, expected) => {
    expect(defaultCacheMebibytes(info)).toBe(expected)
  },
)
