import type { LegalSuite } from '../api/legal-suite.ts'
import type { SeedPackageApply } from '../api/seed-package-apply.ts'
import type { Informer } from '../runtime/informer.ts'
import type { Manager } from '../runtime/manager.ts'
import { objectKey } from '../runtime/objects.ts'
import { getResource } from '../runtime/resources.ts'
import { makeStatusWriter } from '../runtime/status.ts'
import type { Collector } from './collector.ts'
import { collectorReady, reconcile } from './reconcile.ts'
import { isFinished } from './status.ts'
import { makeSuiteLimit } from './suite-limit.ts'

export interface SeedControllerOptions {
  collector: Collector
  concurrency?: number
}

const suiteKey = ({ metadata, spec }: SeedPackageApply) =>
  `${metadata.namespace}/${spec.suiteRef.name}`

/** Pending applies are reconciled when this changes. */
const isCollectorUsable = (suite: LegalSuite) =>
  collectorReady(suite) && !suite.spec.paused && !suite.spec.hibernated

/** Registers the controller that runs each SeedPackageApply once. */
export function registerSeedPackageApplyController(
  manager: Manager,
  suites: Informer<LegalSuite>,
  { collector, concurrency = 16 }: SeedControllerOptions,
) {
  const applies = manager.informer<SeedPackageApply>(
    getResource('legalsuite.dev/v1alpha1', 'SeedPackageApply'),
    { indexes: { unfinished: (each) => (isFinished(each) ? [] : [suiteKey(each)]) } },
  )
  const deps = {
    find: applies.get,
    suite: suites.get,
    observe: applies.observe,
    collector,
    recorder: manager.recorder,
    writeStatus: makeStatusWriter(),
    now: () => new Date(),
  }
  const limited = makeSuiteLimit()
  manager.controller({
    name: 'seed-package-apply',
    concurrency,
    deadlineMs: 300_000,
    watches: [
      { informer: applies },
      {
        informer: suites,
        mapToKeys: (suite: LegalSuite) => applies.by('unfinished', objectKey(suite)).map(objectKey),
        predicate: (change) =>
          change.type !== 'updated' ||
          isCollectorUsable(change.object) !== isCollectorUsable(change.before),
      },
    ],
    reconcile(key, context) {
      const apply = applies.get(key)
      const work = () => reconcile(key, context, deps)
      return apply && !isFinished(apply) ? limited(suiteKey(apply), work) : work()
    },
  })
}
