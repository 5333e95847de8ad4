import { type Page, request } from '../../api/client.ts'
import type {
  AnalysisSubmission,
  Deliverable,
  Matter,
  MatterEvent,
  MatterPhaseProgress,
  Todo,
} from '../../api/types.ts'
import type { Analysis } from './analysis.ts'
import { mattersPath } from './matter-labels.ts'

export interface MatterDetails {
  matter: Matter
  phases: MatterPhaseProgress[]
  /** Changes, newest first. */
  events: MatterEvent[]
  todos: Todo[]
  deliverables: Deliverable[]
  /** The newest analysis; undefined if there is none. */
  analysis: Analysis | undefined
}

/** Loads everything that the page of a matter shows. */
export async function loadMatter(id: string, signal: AbortSignal): Promise<MatterDetails> {
  const path = `${mattersPath}/${id}`
  const [matter, timeline, todos, deliverables, analysis] = await Promise.all([
    request<Matter>(path, { signal }),
    request<Pick<MatterDetails, 'phases' | 'events'>>(`${path}/timeline`, { signal }),
    request<Page<Todo>>(`${path}/todos?size=200`, { signal }),
    request<Page<Deliverable>>(`${path}/deliverables?size=200`, { signal }),
    loadAnalysis(path, signal),
  ])
  return { matter, ...timeline, todos: todos.items, deliverables: deliverables.items, analysis }
}

type Submissions = Record<
  'evidences' | 'sufficiency' | 'issues' | 'strategies' | 'risk_assessment',
  AnalysisSubmission | null
>

async function loadAnalysis(path: string, signal: AbortSignal): Promise<Analysis | undefined> {
  const versions = await request<Page<{ version: number }>>(`${path}/analysis?size=1`, { signal })
  const version = versions.items[0]?.version
  if (version === undefined) return undefined
  const submitted = await request<Submissions>(`${path}/analysis/${version}`, { signal })
  return {
    version,
    evidences: submitted.evidences?.items ?? [],
    elements: submitted.sufficiency?.items ?? [],
    issues: submitted.issues?.items ?? [],
    strategies: submitted.strategies?.items ?? [],
    risk: submitted.risk_assessment?.result ?? null,
  } as Analysis
}
