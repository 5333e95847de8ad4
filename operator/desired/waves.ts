import type { ServiceName } from '../api/service-spec.ts'

/** Who is rolled out after whom: a service comes after those it asks. */
export const waves: ServiceName[][] = [
  ['platform', 'files', 'memory'],
  ['knowledge', 'matter'],
  ['ai-engine'],
  ['consultations', 'collector'],
  ['gateway'],
]
