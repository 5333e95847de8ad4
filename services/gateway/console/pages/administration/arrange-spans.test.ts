import { expect, test } from 'vitest'
import { arrangeSpans, type Span } from './arrange-spans.ts'

const span = (span_id: string, parent_id: string | null, startMs: number, duration_ms: number) =>
  ({
    span_id,
    parent_id,
    started_at: new Date(1_000_000 + startMs).toISOString(),
    duration_ms,
  }) as Span

test('spans are ordered by start below their parents, with times since the first', () => {
  const { rows, totalMs } = arrangeSpans([
    span('late', null, 50, 10),
    span('child', 'root', 20, 5),
    span('root', null, 0, 40),
    span('grandchild', 'child', 21, 1),
  ])
  expect(rows.map((row) => [row.span.span_id, row.depth, row.startMs])).toEqual([
    ['root', 0, 0],
    ['child', 1, 20],
    ['grandchild', 2, 21],
    ['late', 0, 50],
  ])
  expect(totalMs).toBe(60)
})

test('a span whose parent is not recorded is shown as a root', () => {
  const { rows } = arrangeSpans([span('lost', 'absent', 0, 0)])
  expect(rows.map(({ depth }) => depth)).toEqual([0])
})
