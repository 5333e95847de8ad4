import * as z from 'zod'
import { Card } from '../../services/ai-engine/card.ts'
import { type Facts, factKey, makeFact } from '../../services/ai-engine/facts.ts'
import { collectFacts } from '../../services/ai-engine/graph/upgrade-state.ts'
import { makeModel } from '../../services/ai-engine/model/make-model.ts'
import type { Complete } from '../../services/ai-engine/model/model.ts'
import {
  type AnsweredCard,
  Control,
  DocumentOutput,
  Products,
  type SkillCode,
  type SkillContext,
  type Tool,
} from '../../services/ai-engine/skill.ts'
import { DeliverablePatch } from '../../services/matter/deliverable.ts'
import { FactPatch } from '../../services/matter/facts.ts'
import { PhasePatch } from '../../services/matter/phases.ts'
import { TodoPatch } from '../../services/matter/todo.ts'

/** Products of a skill, as matter-service accepts them. */
const SyncedProducts = Products.extend({
  phases: z.array(PhasePatch).optional(),
  todos: z.array(TodoPatch).optional(),
  facts: z.array(FactPatch).optional(),
  deliverables: z.array(DeliverablePatch).optional(),
})

export interface SkillTestOptions {
  complete?: Complete | undefined
  tools?: Record<string, Tool>
  state?: Record<string, unknown>
  today?: string
  runtime?: SkillContext<unknown>['runtime']
}

type Members = Record<string, unknown>

/** Sets a member at a dotted path, as the engine does with answers. */
function setAt(target: Members, path: string, value: unknown) {
  const [first = '', ...rest] = path.split('.')
  if (rest.length === 0) target[first] = value
  else {
    target[first] = { ...(target[first] as Members) }
    setAt(target[first] as Members, rest.join('.'), value)
  }
}

/** Runs one skill on a thread and validates inputs, output and products like the engine. */
export function makeSkillThread(name: string, skill: SkillCode, options: SkillTestOptions = {}) {
  const state: Record<string, unknown> = { messages: [], file_ids: [], ...options.state }
  const facts: Facts = collectFacts(state)
  state.facts = facts
  const texts: string[] = []
  const signal = AbortSignal.timeout(60_000)
  const model = options.complete ? makeModel(options.complete, { signal }) : null
  let card: z.infer<typeof Card> | null = null

  async function run(message: string, answered: AnsweredCard | null) {
    const inputs = { ...state, message }
    const result = await skill.run({
      inputs: skill.inputs.parse(inputs),
      state: structuredClone((state[name] ?? {}) as Record<string, unknown>),
      answered,
      model,
      instructions: 'Do it well.',
      tools: options.tools ?? {},
      emitText: (words) => texts.push(words),
      discardText: () => texts.splice(0),
      progress: () => {},
      signal,
      today: options.today ?? '2026-06-15',
      runtime: options.runtime ?? 'node',
    })
    const output = skill.outputs.parse(result.output)
    Object.assign(facts, JSON.parse(JSON.stringify(result.facts ?? {})))
    // The engine stores state as JSON.
    state[name] = { ...(state[name] as object), ...JSON.parse(JSON.stringify(output)) }
    const control = Control.parse(result.control ?? {})
    const { review_type, title, questions } = control
    card =
      control.action === 'ask_user'
        ? Card.parse({ card_id: crypto.randomUUID(), review_type, title, questions })
        : null
    return {
      output,
      reply: result.reply,
      products: SyncedProducts.parse(result.products ?? {}),
      documents: z.array(DocumentOutput).parse(result.documents ?? []),
      card,
    }
  }

  return {
    state,
    said: texts,
    async say(message: string, fileIds: string[] = []) {
      ;(state.file_ids as unknown[]).push(...fileIds)
      ;(state.messages as unknown[]).push({ role: 'user', content: message })
      return run(message, null)
    },
    /** Runs the skill again without new input. */
    rerun: () => run('', null),
    /** Answers the pending card, keyed by the last part of each field_key. */
    async answer(answers: Record<string, unknown>) {
      const byKey = Object.fromEntries(
        Object.entries(answers).map(([key, value]) => [`${name}.${key}`, value]),
      )
      for (const [key, value] of Object.entries(answers)) {
        setAt(state[name] as Members, key, value)
        const fact = factKey(`${name}.${key}`)
        if (fact !== undefined) facts[fact] = makeFact(value, 'answer')
      }
      return run('', { card_id: card!.card_id, answers: byKey, basis: null, skipped: false })
    },
    /** Dismisses the pending card. */
    skip: () => run('', { card_id: card!.card_id, answers: {}, basis: null, skipped: true }),
  }
}
