import { objectName } from '../desired/common.ts'
import { type ReconcileContext, recordEvent } from './context.ts'
import { healthOf, jobOutcome } from './health.ts'

/**
 * Records a Warning for each problem of a pod that the last status does not name. Returns the reasons of all
 * current problems.
 */
export function recordProblems(context: ReconcileContext): ReadonlySet<string> {
  const { suite, pods, listWorkloads } = context
  const { services = [], conditions = [] } = suite.status ?? {}
  const reportedMessages = [...services, ...conditions].map(({ message }) => message ?? '')
  const reasons = new Set<string>()
  for (const workload of listWorkloads(suite)) {
    const problem = pods.findProblem(workload)
    // The Job and the backends are in the status only while they are not ready.
    const isDone =
      workload.kind === 'Job'
        ? jobOutcome(workload)
        : workload.kind !== 'Deployment' && healthOf(workload).ready
    if (!problem || isDone) continue
    reasons.add(problem.reason)
    if (reportedMessages.some((message) => message.includes(problem.message))) continue
    const app = workload.metadata.name.slice(objectName(suite, '').length)
    recordEvent(context, problem.reason, 'Run', `${app}: ${problem.message}`, true)
  }
  return reasons
}
