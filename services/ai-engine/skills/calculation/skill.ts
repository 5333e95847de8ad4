import * as z from 'zod'
import { canonicalJson, hash32 } from '../../../_kit/hash.ts'
import { type Facts, factValues } from '../../facts.ts'
import { type AnsweredCard, defineSkill } from '../../skill.ts'
import { type CaseFact, caseInputs, loadCase } from '../_shared/case-file.ts'
import {
  confirmShown,
  isSameValue,
  rejectShown,
  ShownFact,
  unconfirmedProfile,
} from '../_shared/confirmation.ts'
import { toShown } from '../_shared/read-back.ts'
import { CalculationResult, calculateCase, missingInputs } from './calculate.ts'
import { confirmedKey, inputCard } from './cards.ts'
import { makeSource } from './input-source.ts'
import { renderCalculations } from './render.ts'

const Outputs = CalculationResult.extend({
  asked: z.array(z.string()),
  shown: z.array(ShownFact),
  rejected: z.array(ShownFact),
  basis: z.int(),
  made_by: z.literal('rules'),
})
const WorkState = z.object({
  asked: z.array(z.string()).default([]).catch([]),
  /** Facts that a card read back. The same value is read back once. */
  shown: z.array(ShownFact).default([]).catch([]),
  /** Facts that the person rejected. They are asked for. */
  rejected: z.array(ShownFact).default([]).catch([]),
})
type WorkState = z.output<typeof WorkState>

/** Questions of the intake. Answered or declined, they are not asked again. */
const Asked = z.array(z.string()).catch([])

export default defineSkill({
  inputs: z.object(caseInputs),
  outputs: Outputs,

  async run({ inputs, state, answered, tools, today }) {
    const work = WorkState.parse(state)
    const { changes, rejected } = readConfirmation(work, answered, inputs.facts)
    const facts = { ...inputs.facts, ...changes }
    const caseFile = await loadCase({ ...inputs, facts }, tools, today)
    const { cause, language } = caseFile
    const from = { caseFile, answers: factValues(facts), asked: work.asked, today }
    // The facts that the calculations would use, confirmed or not, say what to read back and what to ask.
    const wanted = makeSource({ ...from, unconfirmed: true })
    calculateCase(caseFile, wanted)
    const missing = cause ? missingInputs(cause.code, wanted) : []
    // After a new message, facts that the person left unconfirmed are read back again.
    const shown = inputs.message === '' ? work.shown : []
    const unconfirmed = wanted.listUnconfirmed().filter((fact) => !wasShown(fact, shown))
    const askedBefore = [...work.asked, ...Asked.parse(inputs.intake_collection.asked)]
    const open = missing.filter(({ name }) => !askedBefore.includes(name))
    const disputed = rejected.filter(({ name }) => !work.asked.includes(name))
    const names = [...disputed.map(({ name }) => name), ...open.map(({ name }) => name)]
    const result = calculateCase(caseFile, makeSource({ ...from, unconfirmed: false }))
    // The same result is shown once.
    const basis = hash32(canonicalJson([result, cause?.code, language]))
    const previous = Outputs.safeParse(state)
    const asks = names.length + unconfirmed.length > 0
    if (!asks && previous.success && previous.data.basis === basis)
      return { output: { ...previous.data, rejected }, facts: changes }

    const output = { ...result, ...work, rejected, basis, made_by: 'rules' as const }
    if (asks) {
      const card = inputCard({ unconfirmed, disputed, missing: open, caseFile })
      const asked = card.questions.length - (unconfirmed.length > 0 ? 1 : 0)
      return {
        // Nothing is shown or synced before the answers.
        output: {
          ...output,
          asked: [...work.asked, ...[...new Set(names)].slice(0, asked)],
          shown: [...shown, ...toShown(unconfirmed)],
          basis: 0,
        },
        facts: changes,
        control: card,
        reply: card.title,
      }
    }
    return {
      output,
      facts: changes,
      products: {
        profile: unconfirmedProfile(facts, caseFile.texts, inputs.matter.profile),
        data: { work_product: { calculation: result } },
      },
      ...(result.calculations.length > 0 && { reply: renderCalculations(result, language) }),
    }
  },
})

const nameOf = ({ key }: CaseFact) => key.replace(/^intake\./, '')

const wasShown = (fact: CaseFact, shown: ShownFact[]) =>
  shown.some(({ name, value }) => name === nameOf(fact) && isSameValue(value, fact.value))

/** The facts that an answered card confirmed or rejected. Without a yes or no they stay unconfirmed. */
function readConfirmation(
  { shown, rejected }: WorkState,
  answered: AnsweredCard | null,
  known: Facts,
): { changes: Facts; rejected: ShownFact[] } {
  const answer = answered?.answers[confirmedKey]
  const open = shown.filter(({ name }) => known[name]?.confirmed !== true)
  if (answer === true) return { changes: confirmShown(open, known), rejected }
  if (answer !== false) return { changes: {}, rejected }
  return { changes: rejectShown(open), rejected: [...rejected, ...open] }
}
