import type { KubeObject } from '../runtime/objects.ts'
import { buildObject, objectName, type SuiteInput } from './common.ts'
import { type PodPart, secretVariable } from './pod.ts'

export const monitorApi = 'monitoring.coreos.com/v1'

export const isMonitored = ({ spec }: SuiteInput) => spec.monitoring?.enabled !== false

/** The Secret entry with the credential of Prometheus. It is accepted for metrics and for nothing else. */
export const metricsTokenRef = (suite: SuiteInput) => ({
  name: objectName(suite, 'metrics'),
  key: 'token',
})

export const metricsPart = (suite: SuiteInput): PodPart =>
  isMonitored(suite) ? { env: secretVariable('METRICS_TOKEN', metricsTokenRef(suite)) } : {}

/** One ServiceMonitor for all services, which it selects by label, and one for the gateway. */
export function monitoringObjects(suite: SuiteInput): KubeObject[] {
  if (!isMonitored(suite)) return []
  return [
    serviceMonitor(suite, 'metrics', 'service', '/api/v1/internal/actuator/prometheus'),
    ...(suite.spec.gateway ? [serviceMonitor(suite, 'gateway', 'gateway', '/metrics')] : []),
  ]
}

function serviceMonitor(suite: SuiteInput, app: string, component: string, path: string) {
  const { intervalSeconds = 30, labels } = suite.spec.monitoring ?? {}
  return buildObject(
    suite,
    app,
    [monitorApi, 'ServiceMonitor'],
    {
      spec: {
        selector: {
          matchLabels: {
            'app.kubernetes.io/instance': suite.metadata.name,
            'app.kubernetes.io/part-of': 'legal-suite',
            'app.kubernetes.io/component': component,
          },
        },
        endpoints: [
          {
            port: 'http',
            path,
            interval: `${intervalSeconds}s`,
            authorization: { type: 'Bearer', credentials: metricsTokenRef(suite) },
          },
        ],
      },
    },
    { ...(labels && { labels }) },
  )
}
