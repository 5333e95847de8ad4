import type { Client } from '../operator/runtime/client.ts'
import { buildRun, okResponse, startFakeCollector } from '../operator/testing/fake-collector.ts'
import { cannotStart, startControlPlane } from '../tests/cluster/control-plane.ts'
import { installDefinitions } from '../tests/cluster/definitions.ts'
import { secretIn } from '../tests/cluster/objects.ts'
import { serverVersion } from '../tests/cluster/rights.ts'
import { clusterClient } from '../tests/cluster/support.ts'
import { measureAwake } from './operator/measure-awake.ts'
import { measureChanges } from './operator/measure-changes.ts'
import { createUnrelatedSecrets, measureSeedApplies } from './operator/measures.ts'
import { pause, type Subject, startSubject } from './operator/subject.ts'
import { formatCount, formatMs, quantile } from './support/figures.ts'
import type { Results } from './support/results.ts'

const mib = (value: number) => `${value.toFixed(0)} MiB`

/** Benchmarks the operator on a real API server. */
export async function run({ quick, idle }: { quick: boolean; idle?: number }): Promise<Results> {
  if (!process.env.TEST_KUBECONFIG && cannotStart) {
    console.log(`skipped: ${cannotStart}`)
    process.exit(0)
  }
  const plane = process.env.TEST_KUBECONFIG ? undefined : await startControlPlane()
  if (plane) process.env.TEST_KUBECONFIG = plane.kubeconfig
  try {
    return await measureAll(quick, idle ?? (quick ? 60 : 600))
  } finally {
    await plane?.stop()
  }
}

interface Size {
  suites: number
  changes: number
  applications: number
  secrets: number
  /** Suites whose pods run, edits of one service and rollouts of a version. */
  awake: { suites: number; edits: number; rollouts: number }
  idle: number
}

async function measureAll(quick: boolean, idle: number): Promise<Results> {
  const size: Size = quick
    ? {
        suites: 20,
        changes: 40,
        applications: 100,
        secrets: 1_000,
        awake: { suites: 5, edits: 10, rollouts: 3 },
        idle,
      }
    : {
        suites: 100,
        changes: 200,
        applications: 1_000,
        secrets: 10_000,
        awake: { suites: 100, edits: 100, rollouts: 20 },
        idle,
      }
  const client = await clusterClient()
  await installDefinitions(client)
  const collector = await startFakeCollector()
  collector.setHandler((request) => okResponse(buildRun(request)))
  try {
    const rows = [
      ...(await withSubject(client, collector.address, (subject) => many(client, subject, size))),
      ...(await withSubject(client, collector.address, (subject) => seeds(client, subject, size))),
      ...(await withSubject(client, collector.address, (subject) => awake(client, subject, size))),
    ]
    return {
      versions: { Kubernetes: (await serverVersion()).slice(1) },
      tables: [
        {
          title: 'The operator on a real API server',
          head: ['what', 'measured', 'goal'],
          rows,
          notes: [
            `The operator runs as shipped (one bundled file, flags and permissions of the shipped manifests) in its own process. API server, etcd and controller manager share the machine. The collector-service that applies seeds is a stub that responds immediately.`,
            `${size.changes} version changes, sequential and one second apart; the suites are hibernated, so no pod has to become ready. By hand: between these changes the same change is made to an unmanaged suite. Its 8 Deployments are applied directly, in parallel and with the permissions of the operator, as soon as the API server has accepted the change. This is the time of the API server alone, under the same load.`,
            `Awake suites: the controller manager creates their pods, and a kubelet stub reports them as ready immediately. A version change runs the migration Job and four waves. By hand: the same Job and waves are applied to an unmanaged suite, each as soon as the previous one is available.`,
          ],
        },
      ],
    }
  } finally {
    await collector.stop()
  }
}

async function withSubject<T>(
  client: Client,
  address: string,
  work: (subject: Subject) => Promise<T>,
) {
  const subject = await startSubject(client, address)
  try {
    await secretIn(client, subject.namespace, 'db', { url: 'postgres://nowhere' })
    return await work(subject)
  } finally {
    await subject.stop()
  }
}

const formatQuantiles = (durations: number[]) =>
  [0.5, 0.95, 0.99].map((share) => formatMs(quantile(durations, share))).join(' / ')

/** Change latency and idle writes with many suites. */
async function many(client: Client, subject: Subject, { suites, changes: count, idle }: Size) {
  const { operator, byHand } = await measureChanges(client, subject, suites, count)
  await pause(15_000)
  const before = await subject.writes()
  await pause(idle * 1000)
  const writes = (await subject.writes()) - before
  const ratio = (share: number) => (quantile(operator, share) / quantile(byHand, share)).toFixed(2)
  const what = `change of one of ${suites} suites → its 8 Deployments changed`
  return [
    [`${what}, p50 / p95 / p99`, formatQuantiles(operator), 'p95 250 ms'],
    ['the same by hand', formatQuantiles(byHand), ''],
    ['operator ÷ by hand, p50 / p95', `${ratio(0.5)} / ${ratio(0.95)}`, ''],
    [`writes in ${idle} s at rest with ${suites} suites, but for the lease`, String(writes), '0'],
    [`resident memory with ${suites} suites, after all that`, mib(await subject.memory()), ''],
  ]
}

/** Memory with unrelated Secrets, and throughput of SeedPackageApplies. */
async function seeds(client: Client, subject: Subject, { secrets, applications: number }: Size) {
  await pause(10_000)
  const empty = await subject.memory()
  await createUnrelatedSecrets(client, subject, secrets)
  // Long enough for each watch to be renewed once.
  await pause(60_000)
  const crowded = await subject.memory()
  const { seconds, peak } = await measureSeedApplies(client, subject, number)
  return [
    ['resident memory, no suite', mib(empty), '100 MiB'],
    [`the same with ${formatCount(secrets)} Secrets of others beside`, mib(crowded), 'the same'],
    [`${formatCount(number)} SeedPackageApply`, `${seconds.toFixed(0)} s`, '240 s'],
    ['resident memory meanwhile, at most', mib(peak), '150 MiB'],
  ]
}

/** Edits and rollouts of suites whose pods run. */
async function awake(client: Client, subject: Subject, { awake: { suites, ...counts } }: Size) {
  const { edits, rollouts, byHand } = await measureAwake(client, subject, suites, counts)
  const ratio = quantile(rollouts, 0.5) / quantile(byHand, 0.5)
  return [
    [
      `edit of a service of one of ${suites} awake suites → its Deployment changed, p50 / p95 / p99`,
      formatQuantiles(edits),
      '',
    ],
    [
      `version of one of ${suites} awake suites → migrated and last wave changed, p50 / p95 / p99`,
      formatQuantiles(rollouts),
      '',
    ],
    ['the same by hand', formatQuantiles(byHand), ''],
    ['operator ÷ by hand, p50', ratio.toFixed(2), ''],
    [`resident memory with ${suites} awake suites`, mib(await subject.memory()), ''],
  ]
}
