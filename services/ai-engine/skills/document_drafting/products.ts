import type { Language } from '../_shared/language.ts'

const phaseNames = {
  analysis: { zh: '案情分析', en: 'Analysis' },
  strategy: { zh: '策略', en: 'Strategy' },
  drafting: { zh: '文书起草', en: 'Drafting' },
  delivery: { zh: '交付', en: 'Delivery' },
}
type PhaseId = keyof typeof phaseNames

const phase = (phase_id: PhaseId, status: string, language: Language) => ({
  phase_id,
  phase_name: phaseNames[phase_id][language],
  status,
  order_num: Object.keys(phaseNames).indexOf(phase_id) + 2,
})

/** Phases before the drafting of a dispute. */
const disputePhases: PhaseId[] = ['analysis', 'strategy']

/** Phases while the documents are drafted. */
export const draftingProducts = (language: Language, earlier = disputePhases) => ({
  phases: [
    ...earlier.map((id) => phase(id, 'COMPLETED', language)),
    phase('drafting', 'IN_PROGRESS', language),
  ],
})

/** Phases after the delivery. Without a document that passed the gate, the drafting stays open. */
export const deliveryProducts = (
  language: Language,
  delivered: boolean,
  earlier = disputePhases,
) => ({
  phases: delivered
    ? [...earlier, 'drafting' as const, 'delivery' as const].map((id) =>
        phase(id, 'COMPLETED', language),
      )
    : draftingProducts(language, earlier).phases,
})
