import type { ToldStory } from './tell-story.ts'

/** What must be the same however a story is told. */
export const summarizeEnd = ({ matter, deliverables, analysis, phases, todos }: ToldStory) => ({
  cause: matter.cause_of_action_code,
  claims: matter.data.work_product.calculation?.claims ?? [],
  deliverables: deliverables.map(({ deliverable_key }) => deliverable_key).sort(),
  evidences: (analysis?.evidences.items ?? [])
    .map(({ kind, element_ids }: any) => `${kind} ${element_ids}`)
    .sort(),
  statuses: (analysis?.sufficiency.items ?? []).map((each: any) => [each.element_id, each.status]),
  phases: phases.map(({ phase_id, status }) => [phase_id, status]),
  open: todos
    .filter(({ status }) => status === 'OPEN')
    .map(({ todo_key }) => todo_key)
    .sort(),
})

/** Each deliverable with its version: a document that was delivered twice has two. */
export const listVersions = ({ deliverables }: ToldStory) =>
  deliverables.map(({ deliverable_key, version }) => `${deliverable_key} ${version}`).sort()
