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

/** A document to be stored in files-service and listed as a deliverable of the matter. */
export const DocumentUpload = z.object({
  deliverable_key: z.string(),
  title: z.string(),
  kind: z.string(),
  filename: z.string(),
  /** Bytes of the DOCX or PDF in base64. They are rendered once, so that every attempt sends the same. */
  content: z.base64(),
  /** Owner of the file. */
  user_id: z.string(),
})
export type DocumentUpload = z.output<typeof DocumentUpload>

/** A write to another service that is committed with a step and delivered from the outbox. */
export type Effect =
  | { kind: 'sync'; body: object }
  | { kind: 'analysis'; body: Submission }
  | { kind: 'document'; body: DocumentUpload }

export const effectKinds = ['sync', 'analysis', 'document'] as const
