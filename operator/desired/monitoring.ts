import type { KubeObject } from '../runtime/objects.ts'
import { buildObject, type Facts, type SuiteInput } from './common.ts'
import { keySecretOf } from './internal-key.ts'

export const monitorApi = 'monitoring.coreos.com/v1'

export const isMonitored = ({ spec }: SuiteInput) => spec.monitoring?.enabled !== false

/** One ServiceMonitor for all services, which it selects by label. */
export function monitoringObjects(suite: SuiteInput, facts: Facts): KubeObject[] {
  if (!isMonitored(suite)) return []
  const { intervalSeconds = 30, labels } = suite.spec.monitoring ?? {}
  return [
    buildObject(
      suite,
      'metrics',
      [monitorApi, 'ServiceMonitor'],
      {
        spec: {
          selector: {
            matchLabels: {
              'app.kubernetes.io/instance': suite.metadata.name,
              'app.kubernetes.io/part-of': 'legal-suite',
            },
            matchExpressions: [
              {
                key: 'app.kubernetes.io/component',
                operator: 'In',
                values: ['service', 'gateway'],
              },
            ],
          },
          endpoints: [
            {
              port: 'http',
              path: '/api/v1/internal/actuator/prometheus',
              interval: `${intervalSeconds}s`,
              authorization: {
                type: 'Bearer',
                credentials: {
                  name: facts.internalKey?.current ?? keySecretOf(suite),
                  key: 'current',
                },
              },
            },
          ],
        },
      },
      { ...(labels && { labels }) },
    ),
  ]
}
