import type { V1LeaseSpec } from '@kubernetes/client-node/dist/gen/models/V1LeaseSpec.js'
import { errorFields, type Log } from '../../services/_kit/log.ts'
import type { Metrics } from '../../services/_kit/metrics.ts'
import { isConflict } from './api-error.ts'
import type { Client } from './client.ts'
import type { Remaining } from './fence.ts'
import type { Json, KubeObject } from './objects.ts'
import { getResource } from './resources.ts'
import { sleep, withJitter } from './time.ts'

type LeaseSpec = Json<
  Required<Omit<V1LeaseSpec, 'holderIdentity' | 'preferredHolder' | 'strategy'>> &
    Pick<V1LeaseSpec, 'holderIdentity'>
>
type Lease = KubeObject & { spec: LeaseSpec }

export type LeaseOptions = {
  namespace: string
  name: string
  /** Globally unique identity of this process. */
  identity: string
  /** Milliseconds after which others may take over a lease that is not renewed. */
  durationMs?: number
  /** Milliseconds for which a leader trusts its last renewal. Must be less than the duration. */
  renewDeadlineMs?: number
  /** Milliseconds between renewals. */
  retryMs?: number
  /** Milliseconds between polls of a standby. */
  standbyPollMs?: number
}

type ElectionDeps = { client: Client; log: Log; metrics: Metrics }

/** Runs while this process leads. `lost` aborts as soon as another process may lead. */
export type LeaderTask = (runTerm: { lost: AbortSignal; remaining: Remaining }) => Promise<void>

const leases = getResource('coordination.k8s.io/v1', 'Lease')

/**
 * Leader election. A lease counts as expired after it has been observed unchanged for its duration; the
 * clocks of other processes are not trusted.
 */
export function makeElection(options: LeaseOptions, { client, log, metrics }: ElectionDeps) {
  const { namespace, name, identity } = options
  const {
    durationMs = 15_000,
    renewDeadlineMs = 10_000,
    retryMs = 2_000,
    standbyPollMs = 1_000,
  } = options
  /** The last observed lease and the time since which it is unchanged. */
  let observed: { lease: Lease; content: string; at: number } | undefined
  let validUntil = { monotonic: 0, wall: 0 }

  /** Checks the wall clock too, because the monotonic clock stops while a machine is suspended. */
  const remaining = () =>
    Math.min(validUntil.monotonic - performance.now(), validUntil.wall - Date.now())

  function observe(lease: Lease) {
    const content = JSON.stringify(lease.spec)
    if (observed?.content === content) observed.lease = lease
    else observed = { lease, content, at: performance.now() }
  }

  const isHolder = () => observed?.lease.spec.holderIdentity === identity

  function isExpired() {
    const { holderIdentity, leaseDurationSeconds } = observed!.lease.spec
    return !holderIdentity || performance.now() >= observed!.at + leaseDurationSeconds * 1000
  }

  /** Tries once to acquire or renew the lease. Throws if the outcome is unknown. */
  async function attempt(deadlineMs: number): Promise<boolean> {
    if (!isHolder()) {
      const lease = await client.get<Lease>(leases, { namespace, name }, { deadlineMs })
      if (!lease) return write((body) => client.create(leases, body, { deadlineMs }))
      observe(lease)
      if (!isHolder() && !isExpired()) return false
    }
    return write((body) => client.replace(leases, body, { deadlineMs }), observed!.lease)
  }

  async function write(send: (lease: Lease) => Promise<Lease>, before?: Lease): Promise<boolean> {
    const startedAt = { monotonic: performance.now(), wall: Date.now() }
    try {
      observe(await send(buildLease(before)))
    } catch (error) {
      if (!isConflict(error)) throw error
      // Another process wrote first. The next attempt reads the lease again.
      observed = undefined
      return false
    }
    validUntil = {
      monotonic: startedAt.monotonic + renewDeadlineMs,
      wall: startedAt.wall + renewDeadlineMs,
    }
    return true
  }

  function buildLease(before: Lease | undefined): Lease {
    const now = microtime()
    const isRenewal = before?.spec.holderIdentity === identity
    const transitions = before?.spec.leaseTransitions ?? -1
    const spec: LeaseSpec = {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(durationMs / 1000),
      acquireTime: isRenewal ? before.spec.acquireTime : now,
      renewTime: now,
      leaseTransitions: isRenewal ? transitions : transitions + 1,
    }
    const typeMeta = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' }
    return { ...typeMeta, metadata: before?.metadata ?? { namespace, name }, spec }
  }

  const tryAcquire = (deadlineMs: number) =>
    attempt(deadlineMs).catch((error: unknown) => {
      log.warn({ lease: name, ...errorFields(error) }, 'lease acquisition failed')
      return false
    })

  async function acquire(signal: AbortSignal) {
    while (!signal.aborted) {
      if (await tryAcquire(5_000)) return
      await sleep(withJitter(standbyPollMs), signal)
    }
  }

  /** Renews until the lease is lost or the task has ended. */
  async function renew(ended: AbortSignal) {
    for (let waitMs = retryMs; !ended.aborted; ) {
      await sleep(Math.min(withJitter(waitMs), Math.max(remaining(), 0)), ended)
      if (ended.aborted || remaining() <= 0) return
      const renewed = await tryAcquire(Math.min(5_000, remaining()))
      if (!renewed && observed && !isHolder()) return
      waitMs = renewed ? retryMs : retryMs / 8
    }
  }

  /** Releases the lease, so that a standby can take over immediately. */
  async function release() {
    if (!isHolder() || remaining() <= 0) return
    const { holderIdentity: _, ...spec } = observed!.lease.spec
    const released = { ...spec, leaseDurationSeconds: 1, renewTime: microtime() }
    try {
      await client.replace(leases, { ...observed!.lease, spec: released }, { deadlineMs: 2_000 })
      log.info({ lease: name, identity }, 'lease released')
    } catch (error) {
      log.warn({ lease: name, ...errorFields(error) }, 'lease release failed')
    }
    observed = undefined
    validUntil = { monotonic: 0, wall: 0 }
  }

  async function runTerm(lead: LeaderTask) {
    const lost = new AbortController()
    const ended = new AbortController()
    metrics.gauge('leader_election_master_status', { name }, 1)
    log.info({ lease: name, identity }, 'leading')
    const leading = lead({ lost: lost.signal, remaining }).finally(() => ended.abort())
    leading.catch(() => {})
    await renew(ended.signal)
    if (!ended.signal.aborted) {
      log.warn({ lease: name, identity }, 'lease lost')
      validUntil = { monotonic: 0, wall: 0 }
      lost.abort(new Error('lease lost'))
    }
    metrics.gauge('leader_election_master_status', { name }, 0)
    await leading
    if (!lost.signal.aborted) await release()
  }

  return {
    /** Leads whenever possible until the signal. Then the task ends and the lease is released. */
    async run(signal: AbortSignal, lead: LeaderTask) {
      metrics.gauge('leader_election_master_status', { name }, 0)
      while (!signal.aborted) {
        await acquire(signal)
        if (signal.aborted && remaining() <= 0) return
        await (signal.aborted ? release() : runTerm(lead))
      }
    },
  }
}

/** RFC 3339 with microseconds, the format of Lease timestamps. */
const microtime = () => new Date().toISOString().replace('Z', '000Z')
