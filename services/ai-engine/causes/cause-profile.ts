import * as z from 'zod'

const Texts = z.array(z.string()).default([])

/** A cause of action of knowledge-service, as far as recognition needs it. */
export const CauseProfile = z.object({
  code: z.string(),
  name: z.string(),
  name_en: z.string().nullish(),
  description: z.string().nullish(),
  description_en: z.string().nullish(),
  matter_category: z.string().nullish(),
  aliases: Texts,
  keywords: Texts,
  cues: Texts,
  typical_claims: Texts,
})
export type CauseProfile = z.output<typeof CauseProfile>
