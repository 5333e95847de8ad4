import type { Node, Outcome } from '../run/graph.ts'
import { deliver } from '../store/outbox.ts'
import { peerHeaders } from './load-context.ts'
import type { State } from './state.ts'
import type { WorkbenchDeps } from './workbench-deps.ts'

/** A step without effects has nothing to deliver; what earlier runs left is delivered by the job. */
export const syncNothing = (state: State): Outcome<State> | undefined =>
  state.round.sync === 'queued' ? undefined : { state, next: 'router' }

/** Delivers pending syncs to matter-service. If it does not respond, a job delivers them later. */
export const syncData =
  (deps: WorkbenchDeps): Node<State> =>
  async (state, context) => {
    const delivery = await context.span('sync', 'sync_data', async (attributes) => {
      const delivery = await deliver(deps, context.lease.thread_id, peerHeaders(context))
      Object.assign(attributes, { delivered: delivery.delivered.length, queued: delivery.queued })
      return delivery
    })
    const { delivered, refused, queued } = delivery
    const sync = queued ? 'queued' : delivered.length > 0 ? 'done' : state.round.sync
    const error =
      refused.length > 0
        ? {
            code: 'SYNC_REFUSED',
            message: `matter-service refused the result: ${refused[0]!.error}`,
          }
        : state.round.error
    return {
      state: { ...state, round: { ...state.round, sync, error } },
      next: 'router',
      delivered,
      refused,
    }
  }
