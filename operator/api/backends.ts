import * as z from 'zod'
import {
  Image,
  ObjectName,
  Quantity,
  type Rule,
  rules,
  SecretKey,
  SecretName,
  text,
  Url,
} from './fields.ts'
import { Resources } from './service-spec.ts'

/** Exactly the member that belongs to the type is there: `External` goes with `external`. */
const oneOf = (members: Record<string, string>): Rule[] =>
  Object.entries(members).map(([type, member]) => ({
    rule: `has(self.${member}) == (self.type == '${type}')`,
    message: `${member} goes with type ${type}, and only with it`,
  }))

/** A volume may grow where its class can, and neither shrinks nor moves to another class. */
const Volume = z
  .object({
    size: Quantity,
    storageClassName: ObjectName.optional().describe('The default class of the cluster if unset.'),
  })
  .meta(
    rules(
      {
        rule: 'quantity(self.size).compareTo(quantity(oldSelf.size)) >= 0',
        message: 'a volume may grow but not shrink',
      },
      {
        rule: 'has(self.storageClassName) == has(oldSelf.storageClassName) && (!has(self.storageClassName) || self.storageClassName == oldSelf.storageClassName)',
        message: 'the class of a volume may not change',
      },
    ),
  )

/** Those of a StatefulSet are made from a template, which can't be changed. */
const FixedVolume = z.object({ size: Quantity, storageClassName: ObjectName.optional() }).meta(
  rules({
    rule: 'self == oldSelf',
    message: 'the volumes of a search cluster may not change; make another suite, or use External',
  }),
)

export const Database = z
  .object({
    type: z.enum(['External', 'CloudNativePG', 'Embedded']),
    external: z
      .object({
        secretRef: SecretKey.describe(
          'The address of the database: postgres://user:password@host/name.',
        ),
        driver: z
          .enum(['postgres', 'neon'])
          .optional()
          .describe('neon speaks over a WebSocket; postgres unless it says otherwise.'),
        websocketProxy: text(2048)
          .optional()
          .describe('With neon: host and path of a relay in front of a PostgreSQL server.'),
      })
      .meta(
        rules({
          rule: "!has(self.websocketProxy) || (has(self.driver) && self.driver == 'neon')",
          message: 'websocketProxy goes with driver neon',
        }),
      )
      .optional(),
    cloudNativePG: z
      .object({
        instances: z.int().min(1).max(9).optional().describe('3 unless it says otherwise.'),
        storage: Volume,
        imageName: Image.optional(),
        resources: Resources.optional(),
      })
      .optional(),
    embedded: z
      .object({
        storage: Volume.optional().describe('10Gi of the default class unless it says otherwise.'),
        image: Image.optional(),
        resources: Resources.optional(),
      })
      .optional(),
  })
  .meta(
    rules(...oneOf({ External: 'external', CloudNativePG: 'cloudNativePG' }), {
      rule: "!has(self.embedded) || self.type == 'Embedded'",
      message: 'embedded goes with type Embedded',
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
          .describe('1 unless it says otherwise; more are a cluster.'),
        storage: FixedVolume.optional().describe('10Gi of the default class if unset.'),
        image: Image.optional(),
        resources: Resources.optional(),
      })
      .meta(
        rules({
          rule: 'has(self.storage) == has(oldSelf.storage)',
          message:
            'the volumes of a search cluster may not change; make another suite, or use External',
        }),
      )
      .optional(),
    external: z.object({ url: Url, apiKeySecretRef: SecretKey.optional() }).optional(),
    index: text(128)
      .regex(/^[a-zA-Z0-9_-]+$/)
      .optional()
      .describe('The collection; a new name makes a new one, which takes over once it is full.'),
  })
  .meta(
    rules(...oneOf({ External: 'external' }), {
      rule: "!has(self.managed) || self.type == 'Managed'",
      message: 'managed goes with type Managed',
    }),
  )

export const Graph = z
  .object({
    type: z.enum(['Disabled', 'Managed', 'External']),
    managed: z
      .object({
        storage: Volume.optional().describe('10Gi of the default class unless it says otherwise.'),
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
    rules(...oneOf({ External: 'external' }), {
      rule: "!has(self.managed) || self.type == 'Managed'",
      message: 'managed goes with type Managed',
    }),
  )

export const ObjectStorage = z
  .object({
    type: z.enum(['Volume', 'S3']),
    volume: z
      .object({
        storage: Volume.optional().describe('20Gi of the default class unless it says otherwise.'),
        accessMode: z
          .enum(['ReadWriteOnce', 'ReadWriteMany'])
          .optional()
          .describe(
            'ReadWriteOnce unless it says otherwise; more than one replica needs the other.',
          ),
      })
      .meta(
        rules({
          rule: 'has(self.accessMode) == has(oldSelf.accessMode) && (!has(self.accessMode) || self.accessMode == oldSelf.accessMode)',
          message: 'the access mode of a volume may not change',
        }),
      )
      .optional(),
    s3: z
      .object({
        bucket: text(255),
        endpoint: Url.optional().describe('AWS unless it says otherwise.'),
        region: text(64).optional(),
        forcePathStyle: z.boolean().optional(),
        credentialsSecretRef: z
          .object({
            name: SecretName,
            accessKeyIdKey: text(253)
              .optional()
              .describe('access-key-id unless it says otherwise.'),
            secretAccessKeyKey: text(253)
              .optional()
              .describe('secret-access-key unless it says otherwise.'),
          })
          .describe('Who asks, and the secret that proves it.'),
      })
      .optional(),
  })
  .meta(
    rules(...oneOf({ S3: 's3' }), {
      rule: "!has(self.volume) || self.type == 'Volume'",
      message: 'volume goes with type Volume',
    }),
  )

export const Ai = z.object({
  model: z
    .object({
      baseUrl: Url.describe('An OpenAI-compatible API.'),
      model: text(256),
      apiKeySecretRef: SecretKey.optional(),
      timeoutSeconds: z.int().min(1).max(3600).optional(),
    })
    .optional()
    .describe('Without it the rules of the skills do the work.'),
  embedding: z
    .object({
      baseUrl: Url.describe('An OpenAI-compatible embedding API.'),
      model: text(256),
      dimensions: z.int().min(1).max(65_536).optional(),
      queryPrefix: text(256).optional(),
      apiKeySecretRef: SecretKey.optional(),
    })
    .optional()
    .describe('Without it search goes by words alone.'),
  rerank: z.object({ url: Url, timeoutSeconds: z.int().min(1).max(60).optional() }).optional(),
})
