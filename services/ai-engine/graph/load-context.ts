import * as z from 'zod'
import { JsonObject } from '../../_kit/fields.ts'
import { printable } from '../../_kit/identity.ts'
import type { Client } from '../../_kit/peer.ts'
import type { Node, NodeContext } from '../run/graph.ts'
import type { Lease } from '../store/lease.ts'
import type { State } from './state.ts'
import type { WorkbenchDeps } from './workbench-deps.ts'

/**
 * Loads the matter profile and the memory context. Context that fails to load is listed in `missing`.
 * Without a matter, facts of the person's cases are left out.
 */
export const loadContext =
  ({ matter, memory }: WorkbenchDeps): Node<State> =>
  async (state, context) => {
    const { matter_id } = context.lease
    const user_id = resolveClientId(context.lease)
    const needsProfile = matter_id !== null && !state.round.profiled
    const [profile, memoryContext] = await Promise.all([
      needsProfile ? readRecorded(context, matter, 'matter_profile', profilePath(matter_id)) : null,
      user_id === null
        ? null
        : readRecorded(context, memory, 'memory_context', contextPath(user_id, matter_id)),
    ])
    const missing = [
      ...(needsProfile && profile === null ? ['matter'] : []),
      ...(user_id !== null && memoryContext === null ? ['memory'] : []),
    ]
    return {
      state: {
        ...state,
        file_ids: [...new Set(state.file_ids)],
        matter: profile ?? state.matter,
        memory:
          matter_id === null && memoryContext ? { ...memoryContext, cases: [] } : memoryContext,
        round: { ...state.round, missing },
      },
      next: 'router',
    }
  }

const encode = encodeURIComponent

const profilePath = (matter_id: string) =>
  `/api/v1/internal/matters/${encode(matter_id)}/workflow/profile`

const contextPath = (user_id: string, matter_id: string | null) => {
  const query = new URLSearchParams({ max_chars: '4000', ...(matter_id && { case_id: matter_id }) })
  return `/api/v1/internal/memory/users/${encode(user_id)}/context?${query}`
}

const RecordedValue = z.object({ value: JsonObject.nullable() })

/** Reads a peer and records the result. Null if the peer does not respond; the span is then an error. */
const readRecorded = (context: NodeContext, peer: Client, name: string, path: string) =>
  context
    .span('tool', name, async (attributes) => {
      const options = { deadlineMs: 3_000, headers: peerHeaders(context) }
      const { answer, replayed } = await context.record(
        { kind: 'tool', skill: 'load_context', name, request: { path } },
        async () => ({
          answer: { value: await peer.request(JsonObject, path, options).catch(() => null) },
        }),
      )
      if (replayed) attributes.recorded = true
      const { value } = RecordedValue.parse(answer)
      if (value === null) throw new Unavailable(`${name} is not available.`)
      return value
    })
    .catch((thrown: unknown) => {
      if (thrown instanceof Unavailable) return null
      throw thrown
    })

class Unavailable extends Error {}

/** The person whose memory a run reads: the client of the matter, whoever speaks. */
export const resolveClientId = ({ client_id, user_id }: Lease) => client_id ?? user_id

/** Headers of requests to other services on behalf of a run. */
export const peerHeaders = ({ lease }: NodeContext): Record<string, string> => ({
  ...speakerHeaders(lease),
  'x-request-id': lease.request_id,
  traceparent: lease.traceparent,
})

/**
 * Headers that identify the person for whom a run speaks: other services apply the rights of this person. In a
 * thread without a user type, such as after the erasure of its user, a person has the rights of a client.
 */
export const speakerHeaders = ({
  organization_id,
  user_id,
  user_type,
  client_id,
}: Lease): Record<string, string> => ({
  'x-organization-id': organization_id,
  ...((user_id !== null || client_id !== null) && { 'x-user-type': user_type ?? 'client' }),
  // An id that a header cannot carry would fail the request.
  ...(user_id !== null && printable.test(user_id) && { 'x-user-id': user_id }),
})

/**
 * Headers for searches whose hits a reply may quote. The client reads the replies to a lawyer in the client's session:
 * they hold nothing that a client may not read.
 */
export const readerHeaders = (lease: Lease): Record<string, string> => ({
  ...speakerHeaders(lease),
  ...(isReadByClient(lease) && { 'x-user-type': 'client' }),
})

const isReadByClient = ({ client_id, client_type, user_id }: Lease) =>
  client_id !== null && client_id !== user_id && (client_type ?? 'client') === 'client'
