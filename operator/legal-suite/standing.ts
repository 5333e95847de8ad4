import type { LegalSuite } from '../api/legal-suite.ts'
import { routeApi } from '../desired/gateway.ts'
import { ApiError } from '../runtime/api-error.ts'
import type { Outcome } from '../runtime/apply.ts'
import type { Standing } from '../runtime/conditions.ts'
import type { Obstacle } from './rollout.ts'

/** Where a suite stands after a pass: the first thing that is in the way, or nothing. */
export function standingOf(
  suite: LegalSuite,
  outcomes: Outcome[],
  obstacle: Obstacle | undefined,
  apis: ReadonlySet<string>,
): Standing {
  const trouble = troubleIn(outcomes) ?? (obstacle?.state === 'stalled' ? obstacle : undefined)
  if (trouble) return trouble
  if (suite.spec.gateway?.httpRoute && !apis.has(routeApi)) {
    const message = 'gateway.httpRoute needs the Gateway API in this cluster'
    return { state: 'stalled', reason: 'ApiNotFound', message }
  }
  if (obstacle) return obstacle
  return suite.spec.hibernated
    ? { state: 'ready', reason: 'Hibernated', message: 'nothing runs; data is kept' }
    : { state: 'ready', reason: 'Ready', message: 'all services are rolled out and ready' }
}

const nameOf = ({ id }: Outcome) => `${id.kind} ${id.name}`

function troubleIn(outcomes: Outcome[]): Standing | undefined {
  const foreign = outcomes.filter((each) => each.action === 'conflict')
  if (foreign.length > 0) return foreignStanding(foreign.map(nameOf))
  const failed = outcomes.filter((each) => each.action === 'failed')
  const [refused] = failed.filter(
    ({ error }) =>
      error instanceof ApiError &&
      error.code >= 400 &&
      error.code < 500 &&
      error.code !== 409 &&
      error.code !== 429,
  )
  const first = refused ?? failed[0]
  if (!first) return undefined
  const message = `${nameOf(first)}: ${(first.error as Error).message}`
  return refused
    ? { state: 'stalled', reason: 'Refused', message }
    : { state: 'reconciling', reason: 'ApplyFailed', message }
}

/** Objects that have a name of ours and are somebody else's. */
export const foreignStanding = (names: string[]): Standing => ({
  state: 'stalled',
  reason: 'ForeignObject',
  message: `not ours and left alone: ${names.join(', ')}; delete them, or annotate them legalsuite.dev/adopt=true`,
})
