import type { Node } from '../run/graph.ts'
import { deliver } from '../store/outbox.ts'
import { peerHeaders } from './load-context.ts'
import type { State } from './state.ts'
import type { WorkbenchDeps } from './workbench-deps.ts'

/** Sends the matter what it has not been told yet. A matter-service that is down is told later. */
export const syncData =
  ({ sql, matter }: WorkbenchDeps): Node<State> =>
  async (state, context) => {
    const delivery = await context.span('sync', 'sync_data', async (attributes) => {
      const delivery = await deliver(sql, matter, context.lease.thread_id, peerHeaders(context))
      Object.assign(attributes, { delivered: delivery.delivered.length, queued: delivery.queued })
      return delivery
    })
    const { delivered, refused, queued } = delivery
    const sync = queued ? 'queued' : delivered.length > 0 ? 'done' : state.round.sync
    const error = refused
      ? { code: 'SYNC_REFUSED', message: `matter-service refused what was made: ${refused.error}` }
      : state.round.error
    return {
      state: { ...state, round: { ...state.round, sync, error } },
      next: 'router',
      delivered,
      refused,
    }
  }
