import * as z from 'zod'
import {
  atomicList,
  type CelRule,
  celRules,
  Image,
  ObjectName,
  Quantity,
  SecretKey,
  SecretName,
  text,
  Url,
} from './fields.ts'
import { Resources } from './service-spec.ts'

/** Requires exactly the member that belongs to the type: `External` with `external`. */
const unionRules = (members: Record<string, string>): CelRule[] =>
  Object.entries(members).map(([type, member]) => ({
    rule: `has(self.${member}) == (self.type == '${type}')`,
    message: `${member} requires type ${type} and is required by it`,
  }))

const Volume = z.object({
  size: Quantity,
  storageClassName: ObjectName.optional().describe(
    'Storage class. Default: the default class of the cluster.',
  ),
})

/** The volume of a block that is required: its transition rules always run. */
const RequiredVolume = Volume.meta(
  celRules(
    {
      rule: 'quantity(self.size).compareTo(quantity(oldSelf.size)) >= 0',
      message: 'a volume cannot shrink',
    },
    {
      rule: 'has(self.storageClassName) == has(oldSelf.storageClassName) && (!has(self.storageClassName) || self.storageClassName == oldSelf.storageClassName)',
      message: 'the storage class of a volume is immutable',
    },
  ),
)

export const Database = z
  .object({
    type: z.enum(['External', 'CloudNativePG', 'Embedded']),
    external: z
      .object({
        secretRef: SecretKey.describe(
          'Secret entry with the database URL: postgres://user:password@host/name.',
        ),
        driver: z
          .enum(['postgres', 'neon'])
          .optional()
          .describe('Database driver; neon connects over a WebSocket. Default: postgres.'),
        cidrs: z
          .array(text(43).regex(/^[0-9a-fA-F.:]+\/[0-9]{1,3}$/))
          .max(16)
          .meta(atomicList)
          .optional()
          .describe(
            'Addresses of the database. Network policies allow its port there. Default: the address in the URL, or any if the URL has a host name.',
          ),
        websocketProxy: text(2048)
          .optional()
          .describe(
            'Host and path of a WebSocket proxy in front of PostgreSQL. Requires driver neon.',
          ),
      })
      .meta(
        celRules({
          rule: "!has(self.websocketProxy) || (has(self.driver) && self.driver == 'neon')",
          message: 'websocketProxy requires driver neon',
        }),
      )
      .optional(),
    cloudNativePG: z
      .object({
        instances: z.int().min(1).max(9).optional().describe('Number of instances. Default: 3.'),
        storage: RequiredVolume,
        imageName: Image.optional(),
        resources: Resources.optional(),
      })
      .optional(),
    embedded: z
      .object({
        storage: Volume.optional().describe('Volume. Default: 10Gi of the default storage class.'),
        image: Image.optional(),
        resources: Resources.optional(),
      })
      .optional(),
  })
  .meta(
    celRules(...unionRules({ External: 'external', CloudNativePG: 'cloudNativePG' }), {
      rule: "!has(self.embedded) || self.type == 'Embedded'",
      message: 'embedded requires type Embedded',
    }),
  )

export const Search = z
  .object({
    type: z.enum(['Database', 'Managed', 'External']),
    managed: z
      .object({
        replicas: z
          .int()
          .min(1)
          .max(15)
          .optional()
          .describe('Number of Qdrant nodes; more than one form a cluster. Default: 1.'),
        storage: Volume.optional().describe(
          'Volume of each node. Default: 10Gi of the default storage class.',
        ),
        image: Image.optional(),
        resources: Resources.optional(),
      })
      .optional(),
    external: z.object({ url: Url, apiKeySecretRef: SecretKey.optional() }).optional(),
    index: text(128)
      .regex(/^[a-zA-Z0-9_-]+$/)
      .optional()
      .describe(
        'Collection name. A new name builds a new collection, which replaces the old one when it is complete.',
      ),
  })
  .meta(
    celRules(...unionRules({ External: 'external' }), {
      rule: "!has(self.managed) || self.type == 'Managed'",
      message: 'managed requires type Managed',
    }),
  )

export const Graph = z
  .object({
    type: z.enum(['Disabled', 'Managed', 'External']),
    managed: z
      .object({
        storage: Volume.optional().describe('Volume. Default: 10Gi of the default storage class.'),
        image: Image.optional(),
        resources: Resources.optional(),
      })
      .optional(),
    external: z
      .object({
        url: z
          .string()
          .max(2048)
          .regex(/^(bolt|neo4j)(\+s|\+ssc)?:\/\/[^\s/]+/),
        user: text(128).optional(),
        passwordSecretRef: SecretKey.optional(),
        database: text(63).optional(),
      })
      .optional(),
  })
  .meta(
    celRules(...unionRules({ External: 'external' }), {
      rule: "!has(self.managed) || self.type == 'Managed'",
      message: 'managed requires type Managed',
    }),
  )

export const ObjectStorage = z
  .object({
    type: z.enum(['Volume', 'S3']),
    volume: z
      .object({
        storage: Volume.optional().describe('Volume. Default: 20Gi of the default storage class.'),
        accessMode: z
          .enum(['ReadWriteOnce', 'ReadWriteMany'])
          .optional()
          .describe(
            'Access mode. More than one replica needs ReadWriteMany. Default: ReadWriteOnce.',
          ),
      })
      .optional(),
    s3: z
      .object({
        bucket: text(255),
        endpoint: Url.optional().describe('S3 endpoint. Default: AWS.'),
        region: text(64).optional(),
        forcePathStyle: z.boolean().optional(),
        credentialsSecretRef: z
          .object({
            name: SecretName,
            accessKeyIdKey: text(253)
              .optional()
              .describe('Entry with the access key id. Default: access-key-id.'),
            secretAccessKeyKey: text(253)
              .optional()
              .describe('Entry with the secret access key. Default: secret-access-key.'),
          })
          .describe('Secret with the S3 credentials.'),
      })
      .optional(),
  })
  .meta(
    celRules(...unionRules({ S3: 's3' }), {
      rule: "!has(self.volume) || self.type == 'Volume'",
      message: 'volume requires type Volume',
    }),
  )

export const Ai = z.object({
  model: z
    .object({
      baseUrl: Url.describe('Base URL of an OpenAI-compatible API.'),
      model: text(256),
      apiKeySecretRef: SecretKey.optional(),
      timeoutSeconds: z.int().min(1).max(3600).optional(),
    })
    .optional()
    .describe('Language model. Default: none; skills use their rules.'),
  embedding: z
    .object({
      baseUrl: Url.describe('Base URL of an OpenAI-compatible embedding API.'),
      model: text(256),
      dimensions: z.int().min(1).max(65_536).optional(),
      queryPrefix: text(256).optional(),
      apiKeySecretRef: SecretKey.optional(),
    })
    .optional()
    .describe('Embedding model. Default: none; search uses keywords only.'),
  rerank: z.object({ url: Url, timeoutSeconds: z.int().min(1).max(60).optional() }).optional(),
})
