import { newId } from '../../_kit/ids.ts'
import type { Span } from '../store/commit.ts'
import { toFailure } from './failure.ts'
import type { NodeContext } from './graph.ts'

export interface OpenSpan extends Span {
  /** Monotonic clock reading at the start. */
  startedMs: number
}

export function startSpan(
  step: number,
  name: string,
  kind: Span['kind'],
  parent_id: string | null,
  attributes: Record<string, unknown>,
): OpenSpan {
  return {
    step,
    span_id: newId(),
    parent_id,
    name,
    kind,
    started_at: new Date().toISOString(),
    duration_ms: 0,
    status: 'ok',
    attributes,
    error: null,
    startedMs: performance.now(),
  }
}

export function endSpan({ startedMs, ...span }: OpenSpan, error?: string): Span {
  const duration_ms = Math.round((performance.now() - startedMs) * 1000) / 1000
  return error === undefined
    ? { ...span, duration_ms }
    : { ...span, duration_ms, status: 'error', error }
}

/** Returns the `span` function of a node context; finished spans are added to `spans`. */
export const makeSpanner =
  (spans: Span[], { step, span_id }: Span): NodeContext['span'] =>
  async (kind, name, work) => {
    const attributes: Record<string, unknown> = {}
    const span = startSpan(step, name, kind, span_id, attributes)
    try {
      const result = await work(attributes)
      spans.push(endSpan(span))
      return result
    } catch (thrown) {
      spans.push(endSpan(span, toFailure(thrown).message))
      throw thrown
    }
  }
