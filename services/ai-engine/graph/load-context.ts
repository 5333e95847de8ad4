import * as z from 'zod'
import { JsonObject } from '../../_kit/fields.ts'
import type { Client } from '../../_kit/peer.ts'
import type { At, Node } from '../run/graph.ts'
import type { State } from './state.ts'
import type { Workbench } from './workbench.ts'

/**
 * Reads what the matter and memory know. What can't be had is named, and the run goes on without it.
 * Without a matter the person's other cases are none of its business.
 */
export const loadContext =
  ({ matter, memory }: Workbench): Node<State> =>
  async (state, at) => {
    const { matter_id, user_id } = at.lease
    const unknown = matter_id !== null && !state.round.profiled
    const [profile, remembered] = await Promise.all([
      unknown ? asked(at, matter, 'matter_profile', profilePath(matter_id)) : null,
      user_id === null
        ? null
        : asked(at, memory, 'memory_context', contextPath(user_id, matter_id)),
    ])
    const missing = [
      ...(unknown && profile === null ? ['matter'] : []),
      ...(user_id !== null && remembered === null ? ['memory'] : []),
    ]
    return {
      state: {
        ...state,
        matter: profile ?? state.matter,
        memory: matter_id === null && remembered ? { ...remembered, cases: [] } : remembered,
        round: { ...state.round, missing },
      },
      next: 'router',
    }
  }

const segment = encodeURIComponent

const profilePath = (matter_id: string) =>
  `/api/v1/internal/matters/${segment(matter_id)}/workflow/profile`

const contextPath = (user_id: string, matter_id: string | null) => {
  const about = new URLSearchParams({ max_chars: '4000', ...(matter_id && { case_id: matter_id }) })
  return `/api/v1/internal/memory/users/${segment(user_id)}/context?${about}`
}

const Read = z.object({ value: JsonObject.nullable() })

async function asked(at: At, peer: Client, name: string, path: string) {
  const { answer } = await at.recorded(
    { kind: 'tool', skill: 'load_context', name, request: { path } },
    async () => ({ answer: { value: await readOrNull(at, peer, name, path) } }),
  )
  return Read.parse(answer).value
}

const readOrNull = (at: At, peer: Client, name: string, path: string) =>
  at
    .span('tool', name, () =>
      peer.request(JsonObject, path, { deadlineMs: 3_000, headers: headersOf(at) }),
    )
    .catch(() => null)

/** On whose behalf the engine asks another service. */
export const headersOf = ({ lease }: At): Record<string, string> => ({
  'x-organization-id': lease.organization_id,
  'x-request-id': lease.request_id,
  ...(lease.user_id && { 'x-user-id': lease.user_id }),
  traceparent: lease.traceparent,
})
