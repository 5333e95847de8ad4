import type { KubeObject } from '../runtime/objects.ts'
import { type Facts, nothingKnown, servicesOf, type Wanted } from './common.ts'
import { database } from './database.ts'
import { gateway } from './gateway.ts'
import { graph } from './graph.ts'
import { migration } from './migration.ts'
import { monitoring } from './monitoring.ts'
import { policies } from './policy.ts'
import { search } from './search.ts'
import { service } from './service.ts'
import { storage } from './storage.ts'

/** All objects that a suite is made of. The same suite and facts give the same objects, and no secret. */
export const desired = (suite: Wanted, facts: Facts = nothingKnown): KubeObject[] => [
  ...policies(suite, facts),
  ...database(suite, facts),
  ...storage(suite),
  ...search(suite, facts),
  ...graph(suite, facts),
  ...migration(suite, facts),
  ...servicesOf(suite).flatMap((name) => service(suite, name, facts)),
  ...gateway(suite, facts),
  ...monitoring(suite, facts),
]
