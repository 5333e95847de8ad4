import * as z from 'zod'
import { JsonObject } from '../../_kit/fields.ts'
import type { Client } from '../../_kit/peer.ts'
import { type AnalysisKind, DocumentUpload, effectKinds, Submission } from './effect.ts'

export const PendingEffect = z.object({
  sync_key: z.string(),
  kind: z.enum(effectKinds),
  matter_id: z.string(),
  organization_id: z.string(),
  body: JsonObject,
})
export type PendingEffect = z.output<typeof PendingEffect>

export interface EffectPeers {
  matter: Client
  files: Client
}

/**
 * Sends one effect. Every request is idempotent by the key of the effect, so that an effect that was sent
 * before a crash is sent again safely.
 */
export async function sendEffect(
  { matter, files }: EffectPeers,
  effect: PendingEffect,
  headers: Record<string, string>,
): Promise<void> {
  const path = `/api/v1/internal/matters/${encodeURIComponent(effect.matter_id)}`
  const post = <T>(schema: z.ZodType<T>, to: string, body: object) =>
    matter.request(schema, `${path}/${to}`, {
      method: 'POST',
      body,
      idempotent: true,
      headers: { ...headers, 'x-organization-id': effect.organization_id },
    })
  if (effect.kind === 'sync') {
    await post(JsonObject, 'sync/all', { ...effect.body, sync_key: effect.sync_key })
    return
  }
  if (effect.kind === 'document') {
    const document = DocumentUpload.parse(effect.body)
    const file_id = await uploadDocument(files, effect, document, headers)
    const { deliverable_key, title, kind } = document
    const deliverables = [{ deliverable_key, title, kind, file_id }]
    await post(JsonObject, 'sync/all', { deliverables, file_ids: [], sync_key: effect.sync_key })
    return
  }
  const { allocation_key, kind, ...content } = Submission.parse(effect.body)
  const allocation = { kind: 'analysis', allocation_key }
  const { version } = await post(Allocated, 'analysis/versions/allocate', allocation)
  await post(JsonObject, submitPaths[kind], { version, ...content })
}

const UploadedFile = z.object({ fileId: z.string() })
const contentTypes = {
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pdf: 'application/pdf',
}

/** Uploads a document. The key of the effect makes a repeated upload return the first file. */
async function uploadDocument(
  files: Client,
  { sync_key, organization_id }: PendingEffect,
  { filename, content, user_id }: DocumentUpload,
  headers: Record<string, string>,
): Promise<string> {
  const bytes = Uint8Array.from(atob(content), (sign) => sign.charCodeAt(0))
  const form = new FormData()
  const type = contentTypes[filename.endsWith('.pdf') ? 'pdf' : 'docx']
  form.set('file', new File([bytes], filename, { type }))
  form.set('purpose', 'deliverable')
  const { fileId } = await files.request(UploadedFile, '/api/v1/internal/files/upload', {
    method: 'POST',
    body: form,
    idempotent: true,
    headers: {
      ...headers,
      'x-organization-id': organization_id,
      'x-user-id': user_id,
      'idempotency-key': sync_key,
    },
  })
  return fileId
}

const Allocated = z.object({ version: z.int().min(1) })

const submitPaths: Record<AnalysisKind, string> = {
  evidences: 'evidences/submit-analysis',
  sufficiency: 'sufficiency/submit',
  issues: 'issues/submit',
  strategies: 'strategies/submit',
  risk_assessment: 'risk-assessment/submit',
}
