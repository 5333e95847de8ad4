import { expect } from 'vitest'
import type { StorySuite } from './story-suite.ts'
import type { ToldStory } from './tell-story.ts'

const expectMembers = <T>(values: Iterable<T>, members: readonly T[]) => {
  for (const value of values) expect(members).toContain(value)
}
const phaseOrder = ['intake', 'analysis', 'strategy', 'drafting', 'delivery']
/** Factor of the risk for a limitation period that is over. */
const otherFactor = /^(?:limitation$|limitation\.|typical\.)/

/** Checks that hold for every matter with a cause of action: its parts fit together. */
export function expectConsistent(suite: StorySuite, outcome: ToldStory) {
  const { analysis, latest, matter, todos } = outcome
  expect(latest.version).toBeGreaterThanOrEqual(1)
  expect(latest.submitted).toEqual({
    ...{ evidences: true, sufficiency: true, issues: true },
    ...{ strategies: true, risk_assessment: true },
  })
  const elements = analysis.sufficiency.items as any[]
  const elementIds = elements.map(({ element_id }) => element_id)
  const code = matter.cause_of_action_code
  const known = (suite.knowledge(`/causes-of-action/${code}`) as any).elements
  expectMembers(
    elementIds,
    known.map(({ element_id }: any) => element_id),
  )

  // Evidence: each file of the matter once; elements name only files and facts that there are.
  const files = analysis.evidences.items.map(({ file_id }: any) => file_id)
  expect([...files].sort()).toEqual([...matter.file_ids].sort())
  for (const { element_ids } of analysis.evidences.items) expectMembers(element_ids, elementIds)
  for (const { element_id, status, evidence } of elements) {
    const supporting = analysis.evidences.items
      .filter(({ element_ids }: any) => element_ids.includes(element_id))
      .map(({ file_id }: any) => file_id)
    expectMembers(
      evidence.filter((id: string) => !id.startsWith('intake.')),
      supporting,
    )
    if (status === 'proven') expect(supporting.length).toBeGreaterThan(0)
    if (status === 'missing') expect(evidence).toEqual([])
  }

  // Gaps: a required element that is not proven is an issue, a factor of the risk and an open todo.
  const gaps = elements.filter(({ required, status }) => required && status !== 'proven')
  const gapIds = gaps.map(({ element_id }) => element_id)
  const issues = analysis.issues.items.map(({ element_id }: any) => element_id)
  expectMembers(issues, elementIds)
  expectMembers(gapIds, issues)
  const risk = analysis.risk_assessment.result
  const factors = risk.factors.filter(({ factor_id }: any) => !otherFactor.test(factor_id))
  // A respondent is at risk from what the other side can prove.
  const defends = factors.some(({ factor_id }: any) => factor_id.startsWith('proof.'))
  const shown = elements.filter(({ required, status }) => required && status !== 'missing')
  expect(factors.map(({ element_id }: any) => element_id).sort()).toEqual(
    defends ? shown.map(({ element_id }) => element_id).sort() : [...gapIds].sort(),
  )
  expect(risk.level).toBe(risk.score >= 55 ? 'high' : risk.score >= 25 ? 'medium' : 'low')
  expectMembers(
    risk.other_side.map(({ element_id }: any) => element_id),
    issues,
  )
  const openTodos = todos.filter(({ todo_key, status }) =>
    todo_key.startsWith('evidence.') ? status === 'OPEN' : false,
  )
  expect(openTodos.map(({ todo_key }) => todo_key).sort()).toEqual(
    gapIds.map((id) => `evidence.${id}`).sort(),
  )
  expect(todos.find(({ todo_key }) => todo_key === 'intake_collection')).toMatchObject({
    status: 'DONE',
  })

  expectClaims(outcome)
  expectPhases(outcome)
  expect(matter.data.work_product.legal_research.unresolved).toEqual([])
  expectVerified(suite, outcome)
}

/** Every claim about money has its amount from a calculation or from a fact that the person gave. */
function expectClaims({ matter, analysis, cards }: ToldStory) {
  const { claims, calculations } = matter.data.work_product.calculation
  const results = new Map(calculations.map((each: any) => [each.calculator, each]))
  const asked = cards.flatMap(({ questions }) => questions.map((each: any) => each.field_key))
  for (const { amount, source } of claims) {
    if (results.has(source)) {
      const { result, inputs } = results.get(source) as any
      expect(Object.values({ ...inputs, ...result })).toContain(amount)
    } else if (source.startsWith('calculation.answers.')) expect(asked).toContain(source)
    else {
      const path = source.replace('intake.', '').split('.')
      const fact = path.reduce((value: any, name: string) => value?.[name], matter.profile)
      expect(fact, source).toBeDefined()
      if (amount !== null) expect(fact).toBe(amount)
    }
  }
  for (const strategy of analysis.strategies.items)
    expect([[], claims]).toContainEqual(strategy.claims)
}

/** Phases are in order, and none is complete before the one before it. */
export function expectPhases({ phases }: ToldStory) {
  const ordered = [...phases].sort((a, b) => a.order_num - b.order_num)
  const ids = ordered.map(({ phase_id }) => phase_id)
  expect(ids).toEqual(phaseOrder.filter((id) => ids.includes(id)))
  expect(ordered.map(({ status }) => status)).toEqual(ordered.map(() => 'COMPLETED'))
  expect(ids).toContain('delivery')
}

/** Every citation of every document verifies as of the day that governs the case. */
export function expectVerified(suite: StorySuite, outcome: ToldStory) {
  const verified = verifyCitations(suite, outcome)
  expect(verified.filter(({ in_force }) => !in_force)).toEqual([])
  return verified.length
}

/** Looks up the citations of all documents as of the day that governs the case. */
export function verifyCitations(
  suite: StorySuite,
  { matter, texts }: ToldStory,
): { found: boolean; in_force: boolean }[] {
  const as_of =
    matter.data.work_product?.legal_research?.as_of ?? new Date().toISOString().slice(0, 10)
  const citations = Object.values(texts).flatMap((text) =>
    [...text.matchAll(/《((?:[^《》]|《[^》]*》)+)》(第[^条\s]+条)/gu)].map(([, law, article]) => ({
      law,
      article,
    })),
  )
  if (citations.length === 0) return []
  return (suite.knowledge('/citations/verify', { citations, as_of }) as any).citations
}
