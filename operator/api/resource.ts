import type * as z from 'zod'
import type { CelRule } from './fields.ts'

export const group = 'legalsuite.dev'
export const version = 'v1alpha1'
export const apiVersion = `${group}/${version}`

export interface PrinterColumn {
  name: string
  type: 'string' | 'integer' | 'boolean' | 'date'
  jsonPath: string
  /** Columns with a priority above 0 are shown only with `-o wide`. */
  priority?: number
}

const readyCondition = ".status.conditions[?(@.type=='Ready')]"

/** Columns that all custom resources have. */
export const readyColumn: PrinterColumn = {
  name: 'Ready',
  type: 'string',
  jsonPath: `${readyCondition}.status`,
}
export const reasonColumn: PrinterColumn = {
  name: 'Reason',
  type: 'string',
  jsonPath: `${readyCondition}.reason`,
  priority: 1,
}
export const ageColumn: PrinterColumn = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
}

/** A custom resource: everything its CustomResourceDefinition is built from. */
export interface CustomResource {
  kind: string
  plural: string
  singular: string
  shortNames: string[]
  description: string
  spec: z.ZodType
  status: z.ZodType
  /** CEL rules at the root, which can refer to metadata and status. */
  rules: CelRule[]
  columns: PrinterColumn[]
}

/** A custom object as the API server returns it. */
export type CustomObject<Spec, Status> = {
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
