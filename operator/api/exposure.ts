import * as z from 'zod'
import {
  Annotations,
  atomic,
  Host,
  Labels,
  ObjectName,
  rules,
  SecretKey,
  SecretName,
  text,
  Url,
} from './fields.ts'

export const Gateway = z
  .object({
    host: Host.describe('The name people reach the suite by.'),
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
          .describe('The Gateway that it hangs on.'),
      })
      .optional(),
    tls: z.object({ secretName: SecretName.describe('A TLS Secret, for the Ingress.') }).optional(),
    oidc: z
      .object({
        issuer: Url,
        audience: text(256),
        clientId: text(256).optional(),
        clientSecretRef: SecretKey.optional(),
      })
      .optional()
      .describe('Who vouches for people.'),
  })
  .meta(
    rules(
      {
        rule: '!(has(self.ingress) && has(self.httpRoute))',
        message: 'give either ingress or httpRoute',
      },
      {
        rule: '!has(self.tls) || has(self.ingress)',
        message: 'tls goes with ingress; with httpRoute the Gateway has the certificate',
      },
    ),
  )

const Source = z.object({ namespaceLabels: Labels.optional(), podLabels: Labels.optional() }).meta(
  rules({
    rule: 'has(self.namespaceLabels) || has(self.podLabels)',
    message: 'say namespaceLabels, podLabels or both',
  }),
)

export const NetworkPolicy = z.object({
  enabled: z.boolean().optional().describe('True unless it says otherwise.'),
  egress: z
    .enum(['Restricted', 'Open'])
    .optional()
    .describe(
      'Restricted: only pods whose configuration names something outside may reach it. The default.',
    ),
  gatewayFrom: z
    .array(Source)
    .max(8)
    .meta(atomic)
    .optional()
    .describe('Who may reach the gateway; anybody where nothing is said.'),
  metricsFrom: z
    .array(Source)
    .max(8)
    .meta(atomic)
    .optional()
    .describe('Who may read metrics; the namespace `monitoring` where nothing is said.'),
})

export const Monitoring = z.object({
  enabled: z
    .boolean()
    .optional()
    .describe('True unless it says otherwise; a ServiceMonitor needs its API in the cluster.'),
  intervalSeconds: z.int().min(5).max(3600).optional().describe('30 unless it says otherwise.'),
  labels: Labels.optional().describe('By which a Prometheus chooses what it scrapes.'),
})
