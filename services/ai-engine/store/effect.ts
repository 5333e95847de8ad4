import * as z from 'zod'
import { JsonObject } from '../../_kit/fields.ts'

/** Kinds of results that matter-service stores for a version of the analysis. */
export const analysisKinds = [
  'evidences',
  'sufficiency',
  'issues',
  'strategies',
  'risk_assessment',
] as const
export type AnalysisKind = (typeof analysisKinds)[number]

/** A part of an analysis. All parts with one allocation_key belong to one version. */
export const Submission = z.object({
  allocation_key: z.string(),
  kind: z.enum(analysisKinds),
  items: z.array(z.unknown()).optional(),
  result: JsonObject.optional(),
})
export type Submission = z.output<typeof Submission>

/** A write to another service that is committed with a step and delivered from the outbox. */
export type Effect = { kind: 'sync'; body: object } | { kind: 'analysis'; body: Submission }

export const effectKinds = ['sync', 'analysis', 'document'] as const
