import * as z from 'zod'
import { ExternalId, Json, JsonObject } from '../../_kit/fields.ts'
import { KbId } from '../base.ts'
import type { LayWord } from '../search/query/lay-words.ts'
import {
  BurdenOfProof,
  Calculation,
  CauseParty,
  Defence,
  ElementCase,
  english,
  Key,
  LaterText,
  LawEdition,
  LegalBasis,
  Name,
  OnlyIf,
  Text,
  Texts,
} from './record-fields.ts'

const Order = z.int().min(-1_000_000).max(1_000_000).default(0)

export const LitigationElement = z
  .object({
    element_id: Key,
    cause_of_action_code: Key,
    name: Name,
    description: Text,
    order_num: Order,
    burden_of_proof: BurdenOfProof.default('plaintiff'),
    required: z.boolean().default(true),
    side: Key.optional().describe(
      'Role of the party whose claim rests on the element. Default: whoever claims.',
    ),
    applies_when: z.string().max(500).optional().describe('Condition under which it is needed.'),
    applies_when_en: z.string().max(500).optional(),
    only_if: OnlyIf.describe('The condition as answers: any other answer drops the element.'),
    evidence_types: Texts,
    questions: z.array(JsonObject).max(200).default([]),
    legal_basis: LegalBasis.default([]),
    ...english,
    standard: z.string().max(500).optional().describe('Standard of proof.'),
    defences: z.array(Defence).max(100).optional(),
    calculation: Calculation.nullable().optional(),
    cases: z.array(ElementCase).max(100).optional(),
  })
  .meta({ id: 'LitigationElement' })

export const NonLitigationChecklistItem = z
  .object({
    item_id: Key,
    service_type_id: ExternalId,
    phase_id: ExternalId.nullable().default(null),
    name: Name,
    description: Text,
    required: z.boolean().default(true),
    order_num: Order,
    materials: z.array(Json).max(200).default([]),
    questions: z.array(JsonObject).max(200).default([]),
    ...english,
    legal_basis: LegalBasis.optional(),
  })
  .meta({ id: 'NonLitigationChecklistItem' })

export const ElementKnowledgeMapping = z
  .object({
    element_id: Key,
    kb_id: KbId,
    document_id: ExternalId,
    section_id: z.string().min(1).max(300).nullable().default(null),
    relevance: z.number().min(0).max(1).default(1),
  })
  .meta({ id: 'ElementKnowledgeMapping' })

export const CauseOfActionProfile = z
  .object({
    code: Key,
    name: Name,
    parent_code: Key.nullable().default(null),
    aliases: Texts,
    keywords: Texts,
    cues: z
      .array(z.string().min(1).max(200))
      .max(500)
      .optional()
      .describe(
        'Phrases of lay people that point to the cause. `…` stands for a few characters, a final `*` for any ending of a word.',
      ),
    matter_category: z.string().max(100).optional().describe('Category of a matter of this cause.'),
    description: Text,
    typical_claims: Texts,
    limitation: z
      .object({ years: z.number().min(0).max(1_000).nullable(), basis: z.string().max(2_000) })
      .partial()
      .nullable()
      .default(null),
    jurisdiction_hint: z.string().max(2_000).nullable().default(null),
    risk_factors: z.array(Json).max(200).default([]),
    strategy_templates: z.array(Json).max(200).default([]),
    ...english,
    dictionary_version: z
      .string()
      .max(500)
      .optional()
      .describe('Version of the official list of causes that contains the name.'),
    as_of: z.iso.date().optional().describe('Day on which the law was checked.'),
    parties: z.array(CauseParty).max(20).optional(),
    laws: z.array(LawEdition).max(200).optional().describe('Statutes that are cited.'),
    interpretations: z.array(LawEdition).max(200).optional(),
    later_texts: z.array(LaterText).max(50).optional(),
  })
  .meta({ id: 'CauseOfActionProfile' })
export type CauseOfActionProfile = z.output<typeof CauseOfActionProfile>

export const Source = z.object({
  package_id: z.string().min(1).max(200),
  version: z.string().max(100).nullish(),
})
export type Source = z.output<typeof Source>

export const dryRunFields = {
  dry_run: z.boolean().default(false),
  digest: z
    .boolean()
    .default(false)
    .describe('With dry_run: return a digest of the records that would be replaced or removed.'),
}

export const Counts = z.object({
  created: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  deleted: z.int(),
  digest: z.string().optional(),
})
export type Counts = z.infer<typeof Counts>

export type Kind = 'element' | 'checklist_item' | 'mapping' | 'cause_of_action' | 'lay_word'

export interface StoredRecord {
  kind: Kind
  key: string
  parent: string | null
  order_num: number
  record: unknown
}

export const toRecord = {
  element: (record: z.output<typeof LitigationElement>): StoredRecord => ({
    kind: 'element',
    key: record.element_id,
    parent: record.cause_of_action_code,
    order_num: record.order_num,
    record,
  }),
  checklistItem: (record: z.output<typeof NonLitigationChecklistItem>): StoredRecord => ({
    kind: 'checklist_item',
    key: record.item_id,
    parent: record.service_type_id,
    order_num: record.order_num,
    record,
  }),
  mapping: (record: z.output<typeof ElementKnowledgeMapping>): StoredRecord => ({
    kind: 'mapping',
    key: JSON.stringify([record.element_id, record.kb_id, record.document_id, record.section_id]),
    parent: record.element_id,
    order_num: 0,
    record,
  }),
  layWord: (record: LayWord): StoredRecord => ({
    kind: 'lay_word',
    key: record.word,
    parent: null,
    order_num: 0,
    record,
  }),
  profile: (record: CauseOfActionProfile): StoredRecord => ({
    kind: 'cause_of_action',
    key: record.code,
    parent: record.parent_code,
    order_num: 0,
    record,
  }),
}
