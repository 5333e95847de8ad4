import * as z from 'zod'

/** A CEL rule that the API server enforces. Users read the message when it rejects a value. */
export interface CelRule {
  rule: string
  message: string
}

export const celRules = (...list: CelRule[]) => ({ 'x-kubernetes-validations': list })

/** A list merged by these keys, so that several field managers can own different entries. */
export const mapList = (...keys: string[]) => ({
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
})

/** A list with one owner, replaced as a whole. */
export const atomicList = { 'x-kubernetes-list-type': 'atomic' }

export const setList = { 'x-kubernetes-list-type': 'set' }

export const text = (maxLength: number) => z.string().min(1).max(maxLength)

const dnsLabel = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'

export const ObjectName = text(253).regex(new RegExp(`^${dnsLabel}(\\.${dnsLabel})*$`))

const LabelName = z
  .string()
  .max(317)
  .regex(/^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/)
const LabelValue = z
  .string()
  .max(63)
  .regex(/^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/)

/** The key patterns are checked here only: a CRD schema cannot constrain map keys. */
export const Labels = z.record(LabelName, LabelValue).meta({ maxProperties: 16 })

export const Annotations = z.record(LabelName, z.string().max(1024)).meta({ maxProperties: 32 })

export const Quantity = text(20).regex(/^[0-9]+(\.[0-9]+)?(m|k|Ki|M|Mi|G|Gi|T|Ti)?$/)

export const Url = z
  .string()
  .max(2048)
  .regex(/^https?:\/\/[^\s/]+/)

export const Host = z
  .string()
  .max(253)
  .regex(new RegExp(`^${dnsLabel}(\\.${dnsLabel})*$`))

/** An image without a tag, because `version` is the tag. With a digest, `version` is ignored. */
export const Repository = z
  .string()
  .max(512)
  .regex(/^([a-zA-Z0-9.-]+(:[0-9]{1,5})?\/)?[a-z0-9._-]+(\/[a-z0-9._-]+)*(@sha256:[0-9a-f]{64})?$/)

/** A complete image reference. */
export const Image = z
  .string()
  .max(512)
  .regex(/^[a-zA-Z0-9][a-zA-Z0-9._:/@-]*$/)

export const SecretName = ObjectName.describe('Name of a Secret in the namespace of the suite.')

export const SecretKey = z.object({
  name: SecretName,
  key: text(253)
    .regex(/^[-._a-zA-Z0-9]+$/)
    .describe('Key of the Secret entry.'),
})
export type SecretKey = z.infer<typeof SecretKey>

export const PackageId = text(128).regex(/^[a-z0-9][a-z0-9_-]*$/)

export const Time = z.string().max(64).meta({ format: 'date-time' })
