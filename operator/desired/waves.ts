import type { ServiceName } from '../api/service-spec.ts'

/** Rollout order. A service comes after the services it calls. */
export const waves: ServiceName[][] = [
  ['platform', 'files', 'memory'],
  ['knowledge', 'matter'],
  ['ai-engine'],
  ['consultations', 'collector'],
  ['gateway'],
]
