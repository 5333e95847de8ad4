import { type ReconcileContext, recordEvent } from './context.ts'
import { type Drift, driftDetected } from './drift.ts'

/** Records a Warning for each object with drift, unless the last status names the same fields. */
export function recordDrift(context: ReconcileContext, { reverted, remaining }: Drift) {
  const before = context.suite.status?.conditions?.find(({ type }) => type === driftDetected)
  for (const text of reverted)
    recordEvent(context, driftDetected, 'Revert', `removed fields of ${text}`, true)
  for (const text of remaining)
    if (!before?.message.includes(text))
      recordEvent(context, driftDetected, 'Detect', `fields are added to ${text}`, true)
}
