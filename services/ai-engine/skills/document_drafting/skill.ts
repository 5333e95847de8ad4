import * as z from 'zod'
import { canonicalJson, hash32 } from '../../../_kit/hash.ts'
import { factValues } from '../../facts.ts'
import { defineSkill } from '../../skill.ts'
import { caseInputs, loadCase } from '../_shared/case-file.ts'
import { lawDate } from '../_shared/citations.ts'
import { confirmShown, unconfirmedProfile } from '../_shared/confirmation.ts'
import { SkillState } from '../_shared/inputs.ts'
import { readBackLines, toShown } from '../_shared/read-back.ts'
import { readCalculation } from '../calculation/calculate.ts'
import { confirmCard, detailsCard } from './cards.ts'
import { Details } from './draft-basis.ts'
import { draftDocuments, readBasis } from './draft-documents.ts'
import { checkDocuments, GateFault } from './gate.ts'
import { isConfirmable, listContradicted, listGateFacts, unconfirmedFacts } from './gate-facts.ts'
import { deliveryProducts, draftingProducts } from './products.ts'
import { releaseDocuments } from './release.ts'

const Entry = z.object({
  key: z.string(),
  title: z.string(),
  kind: z.string(),
  passed: z.boolean(),
})
const Outputs = z.object({
  documents: z.array(Entry),
  faults: z.array(GateFault),
  released: z.array(z.string()),
  basis: z.int(),
  shown: z.int().nullable(),
  details_asked: z.boolean(),
  made_by: z.literal('rules'),
})
const WorkState = z.object({
  details_asked: z.boolean().default(false).catch(false),
  shown: z.int().nullable().default(null).catch(null),
  released: z.array(z.string()).default([]).catch([]),
  /** Hash of the drafts that were released. */
  basis: z.int().nullish().catch(null),
})

export default defineSkill({
  inputs: z.object({
    ...caseInputs,
    evidence_analysis: SkillState,
    sufficiency: SkillState,
    issue_spotting: SkillState,
    strategy: SkillState,
    risk_assessment: SkillState,
    legal_research: SkillState,
    calculation: SkillState,
  }),
  outputs: Outputs,

  async run({ inputs, state, answered, tools, today, runtime }) {
    const work = WorkState.parse(state)
    const caseFile = await loadCase(inputs, tools, today)
    const { language, fields } = caseFile
    const none = { documents: [], faults: [], released: work.released, made_by: 'rules' as const }
    const asked = work.details_asked
    const { matter_category } = { ...inputs.matter, ...inputs.intake_collection }
    const category = typeof matter_category === 'string' ? matter_category : undefined
    if (!caseFile.cause) return { output: { ...none, basis: 0, shown: null, details_asked: asked } }
    if (!asked) {
      const control = detailsCard(fields.opposing_party, category !== 'non_litigation', language)
      const output = { ...none, basis: 0, shown: null, details_asked: true }
      return { output, control, products: draftingProducts(language), reply: control.title ?? '' }
    }

    const details = Details.parse(factValues(inputs.facts))
    const basis = readBasis(inputs, caseFile, details, category, today)
    const documents = draftDocuments(basis)
    const gate = {
      facts: listGateFacts(caseFile, inputs.facts, details),
      fileIds: new Set(inputs.file_ids),
      calculation: readCalculation(inputs.calculation),
      contradicted: listContradicted(inputs.intake_collection, inputs.facts),
      as_of: lawDate(caseFile, today),
      tools,
    }
    const checked = await checkDocuments(documents, gate)
    // The card reads the unconfirmed facts of the drafts back; its confirmation is theirs too.
    const open = unconfirmedFacts(checked, caseFile)
    const shownKeys = new Set(open.map(({ key }) => key))
    const faults = checked.filter((fault) => !isConfirmable(fault, shownKeys))
    const failed = new Set(faults.map(({ document }) => document))
    // A confirmation changes neither: the same drafts are not shown again after it.
    const hash = hash32(canonicalJson([documents, faults]))
    const output = {
      documents: documents.map(({ key, title, kind }) => ({
        ...{ key, title, kind },
        passed: !failed.has(key),
      })),
      faults,
      released: work.released,
      basis: hash,
      shown: hash,
      details_asked: true,
      made_by: 'rules' as const,
    }
    const isConfirmed =
      answered?.answers['document_drafting.confirmed'] === true && work.shown === hash
    if (isConfirmed) {
      const release = await releaseDocuments({ documents, faults, today, runtime }, language)
      const confirmed = confirmShown(toShown(open), inputs.facts)
      return {
        output: { ...output, released: [...new Set([...work.released, ...release.keys])] },
        facts: confirmed,
        documents: release.documents,
        products: {
          ...deliveryProducts(language, release.keys.length > 0),
          profile: unconfirmedProfile(
            { ...inputs.facts, ...confirmed },
            caseFile.texts,
            inputs.matter.profile,
          ),
        },
        reply: release.reply,
      }
    }
    // The same drafts are shown once: a person who declined is not asked again.
    if (work.shown === hash) return { output }
    const readBack = readBackLines(open, caseFile)
    const control = confirmCard('document_drafting', { documents, faults, readBack }, language)
    return { output, control, products: draftingProducts(language), reply: control.title ?? '' }
  },
})
