import type { Range } from './store/store.ts'

/**
 * Parses a Range header against a size. Returns null for an unsatisfiable range, and undefined for a header
 * to ignore: missing, malformed or with several ranges.
 */
export function rangeIn(header: string | undefined, size: number): Range | null | undefined {
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.replaceAll(' ', '') ?? '') ?? []
  if (from === undefined || to === undefined || (from === '' && to === '')) return undefined
  if (from === '') {
    const length = Math.min(Number(to), size)
    return length === 0 ? null : { start: size - length, end: size - 1 }
  }
  const start = Number(from)
  const end = to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (to !== '' && Number(to) < start) return undefined
  return start >= size ? null : { start, end }
}
