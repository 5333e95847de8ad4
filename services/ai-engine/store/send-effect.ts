import * as z from 'zod'
import { JsonObject } from '../../_kit/fields.ts'
import type { Client } from '../../_kit/peer.ts'
import { type AnalysisKind, effectKinds, Submission } from './effect.ts'

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
}

/**
 * Sends one effect. Every request is idempotent by the key of the effect, so that an effect that was sent
 * before a crash is sent again safely.
 */
export async function sendEffect(
  { matter }: EffectPeers,
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
  const { allocation_key, kind, ...content } = Submission.parse(effect.body)
  const allocation = { kind: 'analysis', allocation_key }
  const { version } = await post(Allocated, 'analysis/versions/allocate', allocation)
  await post(JsonObject, submitPaths[kind], { version, ...content })
}

const Allocated = z.object({ version: z.int().min(1) })

const submitPaths: Record<AnalysisKind, string> = {
  evidences: 'evidences/submit-analysis',
  sufficiency: 'sufficiency/submit',
  issues: 'issues/submit',
  strategies: 'strategies/submit',
  risk_assessment: 'risk-assessment/submit',
}
