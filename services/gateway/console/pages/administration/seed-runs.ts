import type { SeedRun } from '../../api/types.ts'
import type { Tone } from '../../ui/state.tsx'

export const packagesPath = '/collector-service/api/v1/seed-packages'

export const runTones: Record<SeedRun['status'], Tone> = {
  running: 'info',
  succeeded: 'good',
  partial: 'warn',
  failed: 'bad',
}
