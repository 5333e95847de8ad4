import type { KubeObject } from '../runtime/objects.ts'
import { type Facts, object, type Wanted } from './common.ts'
import { keySecretOf } from './key.ts'

export const monitorApi = 'monitoring.coreos.com/v1'

export const monitored = ({ spec }: Wanted) => spec.monitoring?.enabled !== false

/** One for all services: each is found by its labels. */
export function monitoring(suite: Wanted, { apis }: Facts): KubeObject[] {
  if (!monitored(suite) || !apis.has(monitorApi)) return []
  const { intervalSeconds = 30, labels } = suite.spec.monitoring ?? {}
  return [
    object(
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
                credentials: { name: keySecretOf(suite), key: 'current' },
              },
            },
          ],
        },
      },
      { ...(labels && { labels }) },
    ),
  ]
}
