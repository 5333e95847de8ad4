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

export interface ApplyOptions {
  collector: Collector
  concurrency?: number
}

const suiteKeyOf = ({ metadata, spec }: SeedPackageApply) =>
  `${metadata.namespace}/${spec.suiteRef.name}`

/** Whether it may be asked now: what an application that waits looks at. */
const usable = (suite: LegalSuite) =>
  collectorReady(suite) && !suite.spec.paused && !suite.spec.hibernated

/** Carries out each SeedPackageApply once. */
export function watchApplies(
  manager: Manager,
  suites: Informer<LegalSuite>,
  { collector, concurrency = 16 }: ApplyOptions,
) {
  const applies = manager.informer<SeedPackageApply>(
    resourceOf('legalsuite.dev/v1alpha1', 'SeedPackageApply'),
    { indexes: { unfinished: (each) => (isFinished(each) ? [] : [suiteKeyOf(each)]) } },
  )
  const around = {
    find: applies.get,
    suite: suites.get,
    observe: applies.observe,
    collector,
    recorder: manager.recorder,
    writeStatus: makeStatusWriter(),
    now: () => new Date(),
  }
  manager.controller({
    name: 'seed-package-apply',
    concurrency,
    deadline: 300_000,
    watches: [
      { informer: applies },
      {
        informer: suites,
        keys: (suite: LegalSuite) => applies.by('unfinished', keyOf(suite)).map(keyOf),
        when: (change) =>
          change.type !== 'updated' || usable(change.object) !== usable(change.before),
      },
    ],
    reconcile: (key, context) => reconcile(key, context, around),
  })
}
