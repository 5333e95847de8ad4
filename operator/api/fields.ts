import * as z from 'zod'

/** A CEL rule that the API server holds a value to; the message is what a person reads. */
export interface Rule {
  rule: string
  message: string
}

export const rules = (...list: Rule[]) => ({ 'x-kubernetes-validations': list })

/** A list whose entries are told apart by these members, so that several may write to it. */
export const mapKeys = (...keys: string[]) => ({
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
})

/** A list that has one writer and is replaced as a whole. */
export const atomic = { 'x-kubernetes-list-type': 'atomic' }

export const setOf = { 'x-kubernetes-list-type': 'set' }

export const text = (most: number) => z.string().min(1).max(most)

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'

export const ObjectName = text(253).regex(new RegExp(`^${label}(\\.${label})*$`))

const LabelName = z
  .string()
  .max(317)
  .regex(/^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/)
const LabelValue = z
  .string()
  .max(63)
  .regex(/^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/)

/** Where the keys of a map are bounded, they are only so in our own check: a CRD can't say it. */
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
  .regex(new RegExp(`^${label}(\\.${label})*$`))

/** An image without a tag, which the version is; a digest, where there is one, decides alone. */
export const Repository = z
  .string()
  .max(512)
  .regex(/^([a-zA-Z0-9.-]+(:[0-9]{1,5})?\/)?[a-z0-9._-]+(\/[a-z0-9._-]+)*(@sha256:[0-9a-f]{64})?$/)

/** An image as a container names it. */
export const Image = z
  .string()
  .max(512)
  .regex(/^[a-zA-Z0-9][a-zA-Z0-9._:/@-]*$/)

export const SecretName = ObjectName.describe('A Secret in the namespace of the suite.')

export const SecretKey = z.object({
  name: SecretName,
  key: text(253)
    .regex(/^[-._a-zA-Z0-9]+$/)
    .describe('Which entry of it.'),
})
export type SecretKey = z.infer<typeof SecretKey>

export const PackageId = text(128).regex(/^[a-z0-9][a-z0-9_-]*$/)

export const Time = z.string().max(64).meta({ format: 'date-time' })
