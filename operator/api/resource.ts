import type * as z from 'zod'
import type { Rule } from './fields.ts'

export const group = 'legalsuite.dev'
export const version = 'v1alpha1'
export const apiVersion = `${group}/${version}`

export interface Column {
  name: string
  type: 'string' | 'integer' | 'boolean' | 'date'
  jsonPath: string
  /** 1 and more: only shown when asked for more (`-o wide`). */
  priority?: number
}

/** A resource of ours: everything its definition in the cluster is made of. */
export interface Resource {
  kind: string
  plural: string
  singular: string
  shortNames: string[]
  description: string
  spec: z.ZodType
  status: z.ZodType
  /** Rules that look at more than the spec. */
  rules: Rule[]
  columns: Column[]
}

/** An object of ours as the cluster has it. */
export type Stored<Spec, Status> = {
  apiVersion: string
  kind: string
  metadata: {
    name: string
    namespace: string
    uid: string
    generation: number
    resourceVersion?: string
    creationTimestamp?: string
    deletionTimestamp?: string
    labels?: Record<string, string>
    annotations?: Record<string, string>
  }
  spec: Spec
  status?: Status
}
