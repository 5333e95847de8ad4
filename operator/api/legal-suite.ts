import * as z from 'zod'
import { Ai, Database, Graph, ObjectStorage, Search } from './backends.ts'
import { Gateway, Monitoring, NetworkPolicy } from './exposure.ts'
import { atomic, mapKeys, PackageId, Repository, rules, SecretName, setOf, text } from './fields.ts'
import type { Resource, Stored } from './resource.ts'
import { ServiceSpec, serviceNames } from './service-spec.ts'
import { Conditions, History, Inventory, ObservedGeneration } from './status.ts'

const InternalKey = z.object({
  secretName: SecretName.describe(
    'One of your own, with the entries `current` and `accepted`; unset, the operator makes one.',
  ),
})

const Seeds = z.object({
  packageIds: z
    .array(PackageId)
    .max(32)
    .meta(setOf)
    .optional()
    .describe('Seed packages that collector-service applies when it starts.'),
  resourcesOnStartup: z.boolean().optional().describe('Apply the default set of packages too.'),
})

const Services = z.partialRecord(z.enum(serviceNames), ServiceSpec).meta({
  maxProperties: serviceNames.length,
  ...rules({
    rule: `self.all(name, name in [${serviceNames.map((name) => `'${name}'`).join(', ')}])`,
    message: `the services are ${serviceNames.join(', ')}`,
  }),
})

/** One replica of files-service at a time may have a volume that one node at a time may have. */
const onlyOneFiles = {
  rule: "(has(self.objectStorage) && (self.objectStorage.type == 'S3' || (has(self.objectStorage.volume) && has(self.objectStorage.volume.accessMode) && self.objectStorage.volume.accessMode == 'ReadWriteMany'))) || !has(self.services) || !('files' in self.services) || (!has(self.services['files'].autoscaling) && (!has(self.services['files'].replicas) || self.services['files'].replicas == 1))",
  message:
    'more than one replica of files needs objectStorage S3, or a Volume with accessMode ReadWriteMany',
}

export const LegalSuiteSpec = z
  .object({
    version: text(63)
      .regex(/^[a-zA-Z0-9]([a-zA-Z0-9._-]*[a-zA-Z0-9])?$/)
      .describe('The version of the suite: the tag of its image.'),
    image: Repository.optional().describe(
      'The image without its tag; with a digest, which decides alone. `legal-suite` if unset.',
    ),
    runtime: z.enum(['Node', 'Deno']).optional().describe('Node unless it says otherwise.'),
    environment: z
      .enum(['production', 'staging', 'dev'])
      .optional()
      .describe('production unless it says otherwise.'),
    services: Services.optional(),
    gateway: Gateway.optional().describe(
      'Without it nothing of the suite is reached from outside.',
    ),
    database: Database,
    search: Search.optional().describe('Database unless it says otherwise.'),
    graph: Graph.optional().describe('Disabled unless it says otherwise.'),
    objectStorage: ObjectStorage.optional().describe('A Volume unless it says otherwise.'),
    ai: Ai.optional(),
    internalKey: InternalKey.optional(),
    seeds: Seeds.optional(),
    networkPolicy: NetworkPolicy.optional(),
    monitoring: Monitoring.optional(),
    paused: z.boolean().optional().describe('Nothing is written, only looked at.'),
    hibernated: z.boolean().optional().describe('Everything runs with no replicas; data is kept.'),
    deletionPolicy: z
      .enum(['Retain', 'Delete'])
      .optional()
      .describe('What happens to volumes, and to the passwords that open them. Retain if unset.'),
  })
  .meta(
    rules(
      onlyOneFiles,
      {
        rule: "!has(self.gateway) || has(self.gateway.oidc) || (has(self.environment) && self.environment != 'production')",
        message: 'in production the gateway needs oidc',
      },
      {
        rule: "has(self.gateway) || !has(self.services) || !('gateway' in self.services)",
        message: 'services.gateway goes with gateway',
      },
    ),
  )
export type LegalSuiteSpec = z.infer<typeof LegalSuiteSpec>

export const phases = [
  'Pending',
  'Migrating',
  'RollingOut',
  'Ready',
  'Stalled',
  'Paused',
  'Hibernated',
] as const

export const LegalSuiteStatus = z.object({
  observedGeneration: ObservedGeneration.optional(),
  phase: z.enum(phases).optional(),
  conditions: Conditions.optional(),
  version: z.string().max(63).optional().describe('The version that all services run.'),
  ready: z.string().max(16).optional().describe('Services that are ready, of all: 7/8.'),
  services: z
    .array(
      z.object({
        name: text(63),
        ready: z.boolean(),
        desired: z.int().min(0),
        available: z.int().min(0),
        version: z.string().max(63).optional(),
        message: z.string().max(256).optional(),
      }),
    )
    .max(16)
    .meta(mapKeys('name'))
    .optional(),
  internalKey: z
    .object({
      secretName: text(253),
      id: z.string().max(12).describe('The first twelve hex digits of its SHA-256.'),
    })
    .optional(),
  seeds: z
    .object({
      packageIds: z.array(text(128)).max(32).meta(atomic),
      state: z.enum(['None', 'Pending', 'Started', 'Applied']),
    })
    .optional(),
  inventory: Inventory.optional(),
  history: History.optional(),
})
export type LegalSuiteStatus = z.infer<typeof LegalSuiteStatus>

export type LegalSuite = Stored<LegalSuiteSpec, LegalSuiteStatus>

export const legalSuite: Resource = {
  kind: 'LegalSuite',
  plural: 'legalsuites',
  singular: 'legalsuite',
  shortNames: ['suite', 'suites'],
  description: 'A legal suite: its services, what they store things in, and how they are reached.',
  spec: LegalSuiteSpec,
  status: LegalSuiteStatus,
  rules: [
    {
      rule: "self.metadata.name.size() <= 40 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
      message:
        'the name is at most 40 small letters, digits and dashes, and begins with a letter: other names are made of it',
    },
  ],
  columns: [
    { name: 'Ready', type: 'string', jsonPath: ".status.conditions[?(@.type=='Ready')].status" },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Services', type: 'string', jsonPath: '.status.ready' },
    { name: 'Version', type: 'string', jsonPath: '.status.version' },
    { name: 'Key', type: 'string', jsonPath: '.status.internalKey.id', priority: 1 },
    { name: 'Seeds', type: 'string', jsonPath: '.status.seeds.state', priority: 1 },
    {
      name: 'Reason',
      type: 'string',
      jsonPath: ".status.conditions[?(@.type=='Ready')].reason",
      priority: 1,
    },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
}
