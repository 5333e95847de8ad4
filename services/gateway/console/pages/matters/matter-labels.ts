import type { Matter } from '../../api/types.ts'
import type { Tone } from '../../ui/state.tsx'

export const mattersPath = '/matter-service/api/v1/matters'

export const matterStatuses: Matter['status'][] = [
  'DRAFT',
  'ACTIVE',
  'ON_HOLD',
  'COMPLETED',
  'ARCHIVED',
  'CANCELLED',
]

export const matterCategories: Matter['matter_category'][] = [
  'civil_litigation',
  'criminal_litigation',
  'administrative_litigation',
  'commercial_arbitration',
  'labor_arbitration',
  'non_litigation',
  'consultation',
]

export const statusTone: Record<Matter['status'], Tone> = {
  DRAFT: 'neutral',
  ACTIVE: 'info',
  ON_HOLD: 'warn',
  COMPLETED: 'good',
  ARCHIVED: 'neutral',
  CANCELLED: 'neutral',
}
