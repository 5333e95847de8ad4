import type { Node } from '../run/graph.ts'
import { deliver } from '../store/outbox.ts'
import { headersOf } from './load-context.ts'
import type { State } from './state.ts'
import type { Workbench } from './workbench.ts'

/** Sends the matter what it has not been told yet. A matter-service that is down is told later. */
export const syncData =
  ({ sql, matter }: Workbench): Node<State> =>
  async (state, at) => {
    const sent = await at.span('sync', 'sync_data', async (attributes) => {
      const sent = await deliver(sql, matter, at.lease.thread_id, headersOf(at))
      Object.assign(attributes, { delivered: sent.delivered.length, queued: sent.queued })
      return sent
    })
    const { delivered, refused, queued } = sent
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
