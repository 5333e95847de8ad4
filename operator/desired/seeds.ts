import type { Wanted } from './common.ts'
import { type Part, variables } from './pod.ts'

/** What collector-service applies when it starts. In production it does not start where that fails. */
export function seedsPart({ spec: { seeds } }: Wanted): Part {
  return {
    env: variables({
      SEED_PACKAGE_IDS_ON_STARTUP: seeds?.packageIds?.join(',') || undefined,
      SEED_RESOURCES_ON_STARTUP: seeds?.resourcesOnStartup,
    }),
  }
}
