import type { LegalSuite } from '../api/legal-suite.ts'
import type { SeedPackageApply } from '../api/seed-package-apply.ts'
import type { Informer } from '../runtime/informer.ts'
import type { Manager } from '../runtime/manager.ts'
import { keyOf } from '../runtime/objects.ts'
import { resourceOf } from '../runtime/resources.ts'
import { makeStatusWriter } from '../runtime/status.ts'
import type { Collector } from './collector.ts'
import { collectorReady, reconcile } from './reconcile.ts'
import { isFinished } from './status.ts'
import { makeSuiteLimit } from './suite-limit.ts'

export interface SeedControllerOptions {
  collector: Collector
  concurrency?: number
}

const suiteKeyOf = ({ metadata, spec }: SeedPackageApply) =>
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
    resourceOf('legalsuite.dev/v1alpha1', 'SeedPackageApply'),
    { indexes: { unfinished: (each) => (isFinished(each) ? [] : [suiteKeyOf(each)]) } },
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
        mapToKeys: (suite: LegalSuite) => applies.by('unfinished', keyOf(suite)).map(keyOf),
        predicate: (change) =>
          change.type !== 'updated' ||
          isCollectorUsable(change.object) !== isCollectorUsable(change.before),
      },
    ],
    reconcile(key, context) {
      const apply = applies.get(key)
      const work = () => reconcile(key, context, deps)
      return apply && !isFinished(apply) ? limited(suiteKeyOf(apply), work) : work()
    },
  })
}
