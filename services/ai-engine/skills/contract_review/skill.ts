import * as z from 'zod'
import { canonicalJson, hash32 } from '../../../_kit/hash.ts'
import { Checklist } from '../../checklist-tools.ts'
import { defineSkill, type SkillContext } from '../../skill.ts'
import { FileIds, Messages, personTexts, SkillState, Text } from '../_shared/inputs.ts'
import { lastLanguage } from '../_shared/language.ts'
import { reword } from '../_shared/reword.ts'
import { confirmCard } from '../document_drafting/cards.ts'
import { checkDocuments, GateFault } from '../document_drafting/gate.ts'
import { deliveryProducts, draftingProducts } from '../document_drafting/products.ts'
import { releaseDocuments } from '../document_drafting/release.ts'
import { splitContract } from './clauses.ts'
import { draftRedline, draftReviewOpinion } from './documents.ts'
import { findContract } from './find-contract.ts'
import { Finding, reviewContract } from './review.ts'

const Outputs = z.object({
  file_id: z.string().nullable(),
  clauses: z.int(),
  findings: z.array(Finding),
  faults: z.array(GateFault),
  released: z.array(z.string()),
  basis: z.int(),
  shown: z.int().nullable(),
  made_by: z.enum(['model', 'rules']),
})
const WorkState = z.object({
  shown: z.int().nullable().default(null).catch(null),
  released: z.array(z.string()).default([]).catch([]),
})
/** Answers to the questions of the checklist. */
const Answers = z
  .object({
    our_side: z.string().nullish().catch(null),
    deliverable: z.string().nullish().catch(null),
  })
  .catch({})

export default defineSkill({
  inputs: z.object({
    message: Text,
    messages: Messages,
    file_ids: FileIds,
    intake_collection: SkillState,
  }),
  outputs: Outputs,

  async run({ inputs, state, answered, model, tools, instructions, today, runtime }) {
    const work = WorkState.parse(state)
    const intake = inputs.intake_collection
    const texts = personTexts(inputs.messages, inputs.message)
    const language = lastLanguage(texts) ?? (intake.language === 'en' ? 'en' : 'zh')
    const contract = await findContract(inputs.file_ids, tools)
    const none = { clauses: 0, findings: [], faults: [], released: work.released, basis: 0 }
    if (!contract) {
      const output = { ...none, file_id: null, shown: null, made_by: 'rules' as const }
      return { output, reply: noContractMessage[language] }
    }

    const { our_side, deliverable } = Answers.parse(intake.contract_review)
    const clauses = splitContract(contract.text)
    const items = await loadItems(tools)
    const byRules = reviewContract(clauses, items, our_side ?? '', language, !contract.truncated)
    const basis = hash32(canonicalJson([contract.file_id, byRules, deliverable ?? null]))
    const previous = Outputs.safeParse(state)
    const known = previous.success && previous.data.basis === basis ? previous.data : undefined
    const problems = Object.fromEntries(byRules.map((each, at) => [String(at), each.problem]))
    const byModel =
      model && !known && byRules.length > 0
        ? await reword(problems, language, model, 'contract_review', instructions)
        : undefined
    const findings =
      known?.findings ??
      byRules.map((each, at) => ({ ...each, problem: byModel?.[String(at)] ?? each.problem }))
    const review = { ...contract, clauses, findings, language, today }
    const documents = [
      ...(deliverable === 'redline' && !contract.truncated ? [] : [draftReviewOpinion(review)]),
      // A redline of a part would be taken for the contract.
      ...(deliverable === 'memo' || contract.truncated ? [] : [draftRedline(review)]),
    ]
    const faults = await checkDocuments(documents, {
      contradicted: [],
      facts: new Map(),
      fileIds: new Set(inputs.file_ids),
      calculation: { calculations: [], claims: [], skipped: [] },
      as_of: today,
      tools,
    })
    const output = {
      file_id: contract.file_id,
      clauses: clauses.length,
      findings,
      faults,
      released: work.released,
      basis,
      shown: basis,
      made_by: known?.made_by ?? (byModel ? ('model' as const) : ('rules' as const)),
    }
    if (answered?.answers['contract_review.confirmed'] === true && work.shown === basis) {
      const {
        keys,
        documents: released,
        reply,
      } = await releaseDocuments({ documents, faults, today, runtime }, language)
      return {
        output: { ...output, released: [...new Set([...work.released, ...keys])] },
        documents: released,
        products: {
          ...deliveryProducts(language, keys.length > 0, ['analysis']),
          data: { work_product: { contract_review: { findings } } },
        },
        reply,
      }
    }
    // The same review is shown once: a person who declined is not asked again.
    if (work.shown === basis) return { output }
    const control = confirmCard('contract_review', { documents, faults }, language)
    return {
      output,
      control,
      products: draftingProducts(language, ['analysis']),
      reply: control.title ?? '',
    }
  },
})

/** Points of the checklist; empty without knowledge-service. */
async function loadItems(tools: SkillContext<unknown>['tools']) {
  const answer = await tools.load_checklist?.({ service_type_id: 'contract_review' })
  return Checklist.safeParse(answer).data?.items ?? []
}

const noContractMessage = {
  zh: '没有找到可以读取的合同，请上传合同文本。',
  en: 'No contract that can be read was found. Please upload its text.',
}
