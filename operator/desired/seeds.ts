import type { SuiteInput } from './common.ts'
import { type PodPart, variables } from './pod.ts'

/** Seed packages that collector-service applies at startup. In production it terminates if that fails. */
export function seedsPart({ spec: { seeds } }: SuiteInput): PodPart {
  return {
    env: variables({
      SEED_PACKAGE_IDS_ON_STARTUP: seeds?.packageIds?.join(',') || undefined,
      SEED_RESOURCES_ON_STARTUP: seeds?.resourcesOnStartup,
    }),
  }
}
