import type { KubeObject } from '../runtime/objects.ts'
import { enabledServices, type Facts, noFacts, type SuiteInput } from './common.ts'
import { databaseObjects } from './database.ts'
import { gatewayObjects } from './gateway.ts'
import { graphObjects } from './graph.ts'
import { migrationObjects } from './migration.ts'
import { monitoringObjects } from './monitoring.ts'
import { networkPolicies } from './network-policies.ts'
import { searchObjects } from './search.ts'
import { serviceObjects } from './service.ts'
import { storageObjects } from './storage.ts'

/**
 * Builds all objects of a suite except generated Secrets. Deterministic: equal inputs give equal objects.
 */
export const desired = (suite: SuiteInput, facts: Facts = noFacts): KubeObject[] => [
  ...networkPolicies(suite, facts),
  ...databaseObjects(suite, facts),
  ...storageObjects(suite),
  ...searchObjects(suite, facts),
  ...graphObjects(suite, facts),
  ...migrationObjects(suite, facts),
  ...enabledServices(suite).flatMap((name) => serviceObjects(suite, name, facts)),
  ...gatewayObjects(suite),
  ...monitoringObjects(suite),
]
