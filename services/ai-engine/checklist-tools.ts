import * as z from 'zod'
import { defineTool } from './tool.ts'

const LegalBasis = z.object({ law: z.string(), article: z.string(), quote: z.string().nullish() })

const ChecklistItem = z.object({
  item_id: z.string(),
  service_type_id: z.coerce.string(),
  phase_id: z.string().nullish(),
  name: z.string(),
  name_en: z.string().nullish(),
  description: z.string().default(''),
  required: z.boolean().default(true),
  questions: z.array(z.unknown()).default([]),
  legal_basis: z.array(LegalBasis).default([]),
})

/** Checklist of a service type in knowledge-service. */
export const Checklist = z.object({ items: z.array(ChecklistItem) })
export type ChecklistItem = z.output<typeof ChecklistItem>

export const loadChecklist = defineTool({
  name: 'load_checklist',
  description:
    'The checklist of a service outside of court: its points, what to ask for each, and the law.',
  parameters: z.object({ service_type_id: z.string().regex(/^[\w.:-]{1,200}$/) }),
  async run({ knowledge, readerHeaders }, { service_type_id }) {
    const query = new URLSearchParams({ service_type_id, size: '200' })
    const { items } = await knowledge.request(Checklist, `/api/v1/knowledge/checklists?${query}`, {
      headers: readerHeaders,
    })
    return { items: items.filter((item) => item.service_type_id === service_type_id) }
  },
})
