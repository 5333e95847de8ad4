import { isFailure, type Outcome } from '../runtime/apply.ts'
import { idText, toObjectId } from '../runtime/inventory.ts'
import type { KubeObject } from '../runtime/objects.ts'
import { type ReconcileContext, recordEvent } from './context.ts'
import { rolloutReasonOf } from './rollout-reason.ts'

/** Records an Event for each change. Deployments changed for the same reason share one Event. */
export function recordChanges(
  context: ReconcileContext,
  objects: KubeObject[],
  outcomes: Outcome[],
  before: Map<string, KubeObject | undefined>,
) {
  const changed = new Map<string, { reason: string; detail: string; names: string[] }>()
  for (const outcome of outcomes) {
    const { id, action } = outcome
    if (action === 'unchanged' || isFailure(outcome)) continue
    const after = objects.find((each) => idText(toObjectId(each)) === idText(id))
    if (action === 'pruned')
      recordEvent(context, 'Pruned', 'Delete', `deleted obsolete ${id.kind} ${id.name}`)
    else if (after && id.kind === 'Deployment') {
      const { reason, detail } = rolloutReasonOf(before.get(idText(id)), after)
      const { names } = changed.get(reason + detail) ?? { names: [] }
      changed.set(reason + detail, { reason, detail, names: [...names, id.name] })
    } else if (action === 'configured' && before.get(idText(id))) {
      recordEvent(context, 'Configured', 'Apply', `updated ${id.kind} ${id.name}`)
    }
  }
  for (const { reason, detail, names } of changed.values())
    recordEvent(context, reason, 'Apply', `${names.join(', ')}: ${detail}`)
}
