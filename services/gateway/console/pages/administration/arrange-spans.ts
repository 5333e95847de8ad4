import type { TraceDetail } from '../../api/types.ts'

export type Span = TraceDetail['spans'][number]

interface SpanRow {
  span: Span
  depth: number
  /** Time since the first span started. */
  startMs: number
}

/** Orders spans by start, each child below its parent, with times relative to the first span. */
export function arrangeSpans(spans: Span[]): { rows: SpanRow[]; totalMs: number } {
  const startOf = ({ started_at }: Span) => Date.parse(started_at)
  const first = Math.min(...spans.map(startOf))
  const last = Math.max(...spans.map((span) => startOf(span) + span.duration_ms))
  const known = new Set(spans.map(({ span_id }) => span_id))
  const rows: SpanRow[] = []
  const add = (parent: string | null, depth: number) => {
    const children = spans
      .filter(({ parent_id }) =>
        // A span whose parent was not recorded is a root.
        parent === null ? parent_id === null || !known.has(parent_id) : parent_id === parent,
      )
      .sort((one, other) => startOf(one) - startOf(other))
    for (const span of children) {
      rows.push({ span, depth, startMs: startOf(span) - first })
      add(span.span_id, depth + 1)
    }
  }
  add(null, 0)
  return { rows, totalMs: Math.max(1, last - first) }
}
