import type { KubeObject } from '../runtime/objects.ts'
import type { WriteRecord } from '../runtime/testing/fake-store.ts'
import type { Harness } from './harness.ts'

const appLabel = ({ metadata }: KubeObject) => metadata.labels?.['app.kubernetes.io/name'] ?? ''
const isData = ({ kind, metadata, ...rest }: any) =>
  ['PersistentVolumeClaim', 'Cluster'].includes(kind) ||
  (kind === 'StatefulSet' && rest.spec.volumeClaimTemplates?.length > 0) ||
  metadata.labels?.['legalsuite.dev/data'] === 'true'

/** Kinds that direct pods or traffic, but that no pod depends on. */
const unusedByPods = ['HorizontalPodAutoscaler', 'Ingress', 'HTTPRoute', 'ServiceMonitor']

type Pods = { app: string; labels: Record<string, string>; text: string }

/**
 * Watches every write to the API server and collects violations of two invariants: nothing that a running pod
 * uses is deleted or stopped, and no edit deletes data. Pods keep the template of the last status in which all
 * pods were updated, as the pods of an unfinished rollout do.
 */
export function watchInvariants(harness: Harness) {
  const running = new Map<string, Pods>()
  const violations: string[] = []
  const spec = () => harness.get('LegalSuite', 'demo')?.spec ?? {}

  const users = (name: string, app: string) =>
    [...running.values()].filter(
      (pods) =>
        pods.app !== app &&
        new RegExp(`(^|[^a-z0-9-])${name}(-app)?([^a-z0-9-]|$)`).test(pods.text),
    )

  function checkDeleted(object: KubeObject) {
    const { kind, metadata } = object
    const what = `${kind} ${metadata.name}`
    if (isData(object)) violations.push(`${what} holds data and was deleted`)
    const app = appLabel(object)
    const isOpened = kind === 'NetworkPolicy' && spec().networkPolicy?.enabled === false
    if (unusedByPods.includes(kind) || isOpened) return
    for (const name of new Set([metadata.name, `demo-${app}`]))
      for (const pods of users(name, app))
        violations.push(`${what} was deleted while pods of ${pods.app} use ${name}`)
    const isWorkload = ['Deployment', 'StatefulSet', 'Job'].includes(kind)
    const runs = [...running.values()].some((pods) => pods.app === app)
    if (runs && !isWorkload) violations.push(`${what} was deleted while pods of ${app} run`)
  }

  function checkChanged(before: any, after: any) {
    const { kind, metadata } = after
    const stopped = before.spec?.replicas !== 0 && after.spec?.replicas === 0
    if (kind === 'StatefulSet' && stopped && !spec().hibernated)
      for (const pods of users(metadata.name, appLabel(after)))
        violations.push(`${kind} ${metadata.name} was stopped while pods of ${pods.app} use it`)
    const isGenerated = metadata.labels?.['legalsuite.dev/suite'] !== undefined
    const changed = JSON.stringify(before.data) !== JSON.stringify(after.data)
    if (kind === 'Secret' && isGenerated && changed)
      violations.push(`the content of Secret ${metadata.name} was changed`)
  }

  /** Pods that use an external database need a policy that lets them reach it. */
  function checkEgress() {
    const policies = harness.list('NetworkPolicy')
    if (spec().networkPolicy?.enabled === false) return
    for (const { app, labels, text } of running.values()) {
      if (!text.includes('"name":"db"')) continue
      const own = policies.filter(({ spec }) => spec.egress && selects(spec.podSelector, labels))
      const isOpen = own.some(({ spec }) => spec.egress.some(reachesDatabase))
      if (own.length > 0 && !isOpen)
        violations.push(`pods of ${app} can no longer reach their external database`)
    }
  }

  function trackPods({ before, after }: WriteRecord) {
    const object: any = after ?? before
    if (!['Deployment', 'StatefulSet'].includes(object.kind)) return
    const { metadata, spec, status } = object
    const key = `${object.kind} ${metadata.name}`
    const isUpdated =
      status?.observedGeneration === metadata.generation &&
      status?.updatedReplicas === (status?.replicas ?? 0) &&
      status?.replicas === (spec.replicas ?? 1)
    if (!after || (isUpdated && status.replicas === 0)) running.delete(key)
    else if (isUpdated)
      running.set(key, {
        app: appLabel(object),
        labels: spec.template.metadata.labels,
        text: JSON.stringify(spec.template),
      })
  }

  const stop = harness.api.store.subscribe((written: WriteRecord) => {
    const { before, after } = written
    trackPods(written)
    if (before && !after) checkDeleted(before)
    if (before && after) checkChanged(before, after)
    if (written.collection.endsWith('/networkpolicies')) checkEgress()
  })
  return { violations, running, stop }
}

const isEmpty = (rule: object) => Object.keys(rule).length === 0

const selects = ({ matchLabels = {}, matchExpressions = [] }: any, labels: any) =>
  Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
  matchExpressions.every(({ key, values }: any) => values.includes(labels[key]))

/** True if an egress rule lets pods reach PostgreSQL outside of the cluster. */
const reachesDatabase = (rule: { to?: { ipBlock?: object }[]; ports?: { port: number }[] }) =>
  isEmpty(rule) ||
  (rule.ports?.some(({ port }) => port === 5432) === true &&
    (!rule.to || rule.to.some(({ ipBlock }) => ipBlock !== undefined)))
