import * as z from 'zod'
import {
  Annotations,
  atomicList,
  celRules,
  Host,
  Labels,
  ObjectName,
  SecretKey,
  SecretName,
  text,
  Url,
} from './fields.ts'

export const Gateway = z
  .object({
    host: Host.describe('Public host name of the suite.'),
    ingress: z
      .object({ className: ObjectName.optional(), annotations: Annotations.optional() })
      .optional(),
    httpRoute: z
      .object({
        parentRef: z
          .object({
            name: ObjectName,
            namespace: ObjectName.optional(),
            sectionName: ObjectName.optional(),
          })
          .describe('Gateway that the route attaches to.'),
      })
      .optional(),
    tls: z.object({ secretName: SecretName.describe('TLS Secret of the Ingress.') }).optional(),
    oidc: z
      .object({
        issuer: Url,
        audience: text(256),
        clientId: text(256).describe('Client id of the gateway at the provider.'),
        clientSecretRef: SecretKey.optional(),
      })
      .optional()
      .describe('OpenID Connect provider that authenticates users.'),
  })
  .meta(
    celRules(
      {
        rule: '!(has(self.ingress) && has(self.httpRoute))',
        message: 'ingress and httpRoute are mutually exclusive',
      },
      {
        rule: '!has(self.tls) || has(self.ingress)',
        message: 'tls requires ingress; with httpRoute the Gateway has the certificate',
      },
    ),
  )

const NetworkPeer = z
  .object({ namespaceLabels: Labels.optional(), podLabels: Labels.optional() })
  .meta(
    celRules({
      rule: 'has(self.namespaceLabels) || has(self.podLabels)',
      message: 'namespaceLabels or podLabels is required',
    }),
  )

export const NetworkPolicy = z.object({
  enabled: z.boolean().optional().describe('Create NetworkPolicies. Default: true.'),
  egress: z
    .enum(['Restricted', 'Open'])
    .optional()
    .describe(
      'Egress. Restricted: only pods whose configuration names an external endpoint have external egress. Default: Restricted.',
    ),
  gatewayFrom: z
    .array(NetworkPeer)
    .max(8)
    .meta(atomicList)
    .optional()
    .describe('Peers that can reach the gateway. Default: all.'),
  metricsFrom: z
    .array(NetworkPeer)
    .max(8)
    .meta(atomicList)
    .optional()
    .describe('Peers that can read metrics. Default: the namespace `monitoring`.'),
})

export const Monitoring = z.object({
  enabled: z
    .boolean()
    .optional()
    .describe('Create a ServiceMonitor if the cluster serves its API. Default: true.'),
  intervalSeconds: z
    .int()
    .min(5)
    .max(3600)
    .optional()
    .describe('Scrape interval in seconds. Default: 30.'),
  labels: Labels.optional().describe(
    'Labels of the ServiceMonitor, for the selector of Prometheus.',
  ),
})
