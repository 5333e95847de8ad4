import { errorFields, type Log } from '../../services/_kit/log.ts'
import type { Metrics } from '../../services/_kit/metrics.ts'
import { isConflict } from './api-error.ts'
import type { Client } from './client.ts'
import type { Remaining } from './fence.ts'
import type { KubeObject } from './objects.ts'
import { resourceOf } from './resources.ts'
import { jittered, sleep } from './time.ts'

type LeaseSpec = {
  holderIdentity?: string
  leaseDurationSeconds: number
  acquireTime: string
  renewTime: string
  leaseTransitions: number
}
type Lease = KubeObject & { spec: LeaseSpec }

export type LeaseOptions = {
  namespace: string
  name: string
  /** Of this process and no other, ever. */
  identity: string
  /** Milliseconds after which others may take a lease that is not renewed. */
  duration?: number
  /** Milliseconds for which a leader trusts its last renewal: less than the duration. */
  renewDeadline?: number
  /** Milliseconds between two renewals. */
  retry?: number
  /** Milliseconds between two looks of one who stands by. */
  standby?: number
}

type Given = { client: Client; log: Log; metrics: Metrics }

/** `lost` is aborted as soon as the lease may be another's. */
export type Lead = (term: { lost: AbortSignal; remaining: Remaining }) => Promise<void>

const leases = resourceOf('coordination.k8s.io/v1', 'Lease')

/**
 * Waits for the lease, leads for as long as it is renewed, and again. Whether a lease has run out is judged
 * by how long this process has seen it unchanged: the clocks of others are not trusted.
 */
export function makeElection(options: LeaseOptions, { client, log, metrics }: Given) {
  const { namespace, name, identity } = options
  const { duration = 15_000, renewDeadline = 10_000, retry = 2_000, standby = 1_000 } = options
  /** As last seen or written, and since when it was seen that way. */
  let seen: { lease: Lease; mark: string; at: number } | undefined
  let heldUntil = { monotonic: 0, wall: 0 }

  /** Also by the wall clock, since the other one stands still while a machine sleeps. */
  const remaining = () =>
    Math.min(heldUntil.monotonic - performance.now(), heldUntil.wall - Date.now())

  function look(lease: Lease) {
    const mark = JSON.stringify(lease.spec)
    if (seen?.mark === mark) seen.lease = lease
    else seen = { lease, mark, at: performance.now() }
  }

  const isOurs = () => seen?.lease.spec.holderIdentity === identity

  function isFree() {
    const { holderIdentity, leaseDurationSeconds } = seen!.lease.spec
    return !holderIdentity || performance.now() >= seen!.at + leaseDurationSeconds * 1000
  }

  /** One try to get or keep the lease. Throws when it can't be told. */
  async function attempt(deadline: number): Promise<boolean> {
    if (!isOurs()) {
      const lease = await client.get<Lease>(leases, { namespace, name }, { deadline })
      if (!lease) return write((body) => client.create(leases, body, { deadline }))
      look(lease)
      if (!isOurs() && !isFree()) return false
    }
    return write((body) => client.replace(leases, body, { deadline }), seen!.lease)
  }

  async function write(send: (lease: Lease) => Promise<Lease>, before?: Lease): Promise<boolean> {
    const began = { monotonic: performance.now(), wall: Date.now() }
    try {
      look(await send(leaseAfter(before)))
    } catch (error) {
      if (!isConflict(error)) throw error
      // Somebody wrote first: the next look tells who.
      seen = undefined
      return false
    }
    heldUntil = { monotonic: began.monotonic + renewDeadline, wall: began.wall + renewDeadline }
    return true
  }

  function leaseAfter(before: Lease | undefined): Lease {
    const now = microtime()
    const ours = before?.spec.holderIdentity === identity
    const transitions = before?.spec.leaseTransitions ?? -1
    const spec: LeaseSpec = {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(duration / 1000),
      acquireTime: ours ? before.spec.acquireTime : now,
      renewTime: now,
      leaseTransitions: ours ? transitions : transitions + 1,
    }
    const head = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' }
    return { ...head, metadata: before?.metadata ?? { namespace, name }, spec }
  }

  const tried = (deadline: number) =>
    attempt(deadline).catch((error: unknown) => {
      log.warn({ lease: name, ...errorFields(error) }, 'the lease could not be asked for')
      return false
    })

  async function acquire(signal: AbortSignal) {
    while (!signal.aborted) {
      if (await tried(5_000)) return
      await sleep(jittered(standby), signal)
    }
  }

  /** Until it is lost, or nobody leads any more. */
  async function renew(ended: AbortSignal) {
    for (let wait = retry; !ended.aborted; ) {
      await sleep(Math.min(jittered(wait), Math.max(remaining(), 0)), ended)
      if (ended.aborted || remaining() <= 0) return
      const renewed = await tried(Math.min(5_000, remaining()))
      if (!renewed && seen && !isOurs()) return
      wait = renewed ? retry : retry / 8
    }
  }

  /** The lease is given back, so that another need not wait for its end. */
  async function release() {
    if (!isOurs() || remaining() <= 0) return
    const { holderIdentity: _, ...spec } = seen!.lease.spec
    const released = { ...spec, leaseDurationSeconds: 1, renewTime: microtime() }
    try {
      await client.replace(leases, { ...seen!.lease, spec: released }, { deadline: 2_000 })
      log.info({ lease: name, identity }, 'gave the lease back')
    } catch (error) {
      log.warn({ lease: name, ...errorFields(error) }, 'the lease could not be given back')
    }
    seen = undefined
    heldUntil = { monotonic: 0, wall: 0 }
  }

  async function term(lead: Lead) {
    const lost = new AbortController()
    const ended = new AbortController()
    metrics.gauge('leader_election_master_status', { name }, 1)
    log.info({ lease: name, identity }, 'leading')
    const leading = lead({ lost: lost.signal, remaining }).finally(() => ended.abort())
    leading.catch(() => {})
    await renew(ended.signal)
    if (!ended.signal.aborted) {
      log.warn({ lease: name, identity }, 'the lease is lost')
      heldUntil = { monotonic: 0, wall: 0 }
      lost.abort(new Error('the lease is lost'))
    }
    metrics.gauge('leader_election_master_status', { name }, 0)
    await leading
    if (!lost.signal.aborted) await release()
  }

  return {
    /** Leads whenever it may, until the signal: `lead` then ends by itself, and the lease is given back. */
    async run(signal: AbortSignal, lead: Lead) {
      metrics.gauge('leader_election_master_status', { name }, 0)
      while (!signal.aborted) {
        await acquire(signal)
        if (signal.aborted && remaining() <= 0) return
        await (signal.aborted ? release() : term(lead))
      }
    },
  }
}

/** RFC 3339 with microseconds, as Leases have it. */
const microtime = () => new Date().toISOString().replace('Z', '000Z')
