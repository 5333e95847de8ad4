import type { V1OwnerReference } from '@kubernetes/client-node/dist/gen/models/V1OwnerReference.js'

export type OwnerReference = V1OwnerReference

/** A type of client-node as JSON carries it: its fields hold dates, responses hold strings. */
export type Json<T> = T extends Date
  ? string
  : T extends object
    ? { [Field in keyof T]: Json<T[Field]> }
    : T

/** Field ownership of server-side apply. */
export type ManagedFields = {
  manager: string
  operation: 'Apply' | 'Update'
  apiVersion: string
  fieldsType?: string
  fieldsV1?: Fields
  subresource?: string
  time?: string
}

export type Fields = { [field: string]: Fields }

export type ObjectMeta = {
  name: string
  namespace?: string
  uid?: string
  resourceVersion?: string
  generation?: number
  labels?: Record<string, string>
  annotations?: Record<string, string>
  ownerReferences?: OwnerReference[]
  finalizers?: string[]
  creationTimestamp?: string
  deletionTimestamp?: string
  managedFields?: ManagedFields[]
}

/** Any object of the API. */
export type KubeObject = {
  apiVersion: string
  kind: string
  metadata: ObjectMeta
  [field: string]: unknown
}

/** The endpoint of one kind. */
export type Resource = {
  group: string
  version: string
  kind: string
  plural: string
  namespaced: boolean
}

export type Ref = { namespace?: string | undefined; name: string }

export const formatApiVersion = ({ group, version }: Resource) =>
  group ? `${group}/${version}` : version

/** `namespace/name`, or the name of a cluster-scoped object. */
export const objectKey = ({ metadata }: { metadata: Ref }) => refKey(metadata)

export const refKey = ({ namespace, name }: Ref) => (namespace ? `${namespace}/${name}` : name)
