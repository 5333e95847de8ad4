import type { Log } from '../services/_kit/log.ts'
import type { Metrics } from '../services/_kit/metrics.ts'
import { watchSuites } from './legal-suite/controller.ts'
import type { Client } from './runtime/client.ts'
import type { Pace } from './runtime/informer.ts'
import type { LeaseOptions } from './runtime/lease.ts'
import { makeManager } from './runtime/manager.ts'
import { makeCollector } from './seed-package-apply/collector.ts'
import { watchApplies } from './seed-package-apply/controller.ts'

export interface OperatorOptions {
  client: Client
  log: Log
  metrics: Metrics
  /** Whose suites are looked after; all when empty. */
  namespaces: string[]
  operatorNamespace: string
  collectorAddress: string
  lease?: LeaseOptions | undefined
  port?: number | undefined
  /** Milliseconds after which what can't be watched is looked at again. */
  lookAgain?: number | undefined
  pace?: Partial<Pace> | undefined
}

/** The operator: a manager with a controller for each resource of ours. */
export function makeOperator(options: OperatorOptions) {
  const { operatorNamespace, collectorAddress, lookAgain, ...given } = options
  const manager = makeManager(given)
  const suites = watchSuites(manager, {
    operatorNamespace,
    ...(lookAgain !== undefined && { lookAgain }),
  })
  watchApplies(manager, suites, { collector: makeCollector({ address: collectorAddress }) })
  return manager
}
