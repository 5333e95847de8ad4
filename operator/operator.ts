import type { Log } from '../services/_kit/log.ts'
import type { Metrics } from '../services/_kit/metrics.ts'
import { registerLegalSuiteController } from './legal-suite/controller.ts'
import type { Client } from './runtime/client.ts'
import type { InformerTiming } from './runtime/informer.ts'
import type { LeaseOptions } from './runtime/lease.ts'
import { makeManager } from './runtime/manager.ts'
import { makeCollector } from './seed-package-apply/collector.ts'
import { registerSeedPackageApplyController } from './seed-package-apply/controller.ts'

export interface OperatorOptions {
  client: Client
  log: Log
  metrics: Metrics
  /** Watched namespaces. Empty means all. */
  namespaces: string[]
  operatorNamespace: string
  collectorAddress: string
  lease?: LeaseOptions | undefined
  port?: number | undefined
  /** Interval after which unwatched objects are read again. */
  resyncPeriodMs?: number | undefined
  /** How long the discovery of optional APIs is cached. */
  discoveryMaxAgeMs?: number | undefined
  timing?: Partial<InformerTiming> | undefined
}

/** Builds the manager with one controller per custom resource. */
export function makeOperator(options: OperatorOptions) {
  const {
    operatorNamespace,
    collectorAddress,
    resyncPeriodMs,
    discoveryMaxAgeMs,
    ...managerOptions
  } = options
  const manager = makeManager(managerOptions)
  const suites = registerLegalSuiteController(manager, {
    operatorNamespace,
    collectorAddress,
    resyncPeriodMs,
    discoveryMaxAgeMs,
  })
  registerSeedPackageApplyController(manager, suites, {
    collector: makeCollector({ address: collectorAddress }),
  })
  return manager
}
