import { deliverOutbox } from '../_kit/event-outbox.ts'
import { defineService } from '../_kit/service.ts'
import { allocate } from './allocate.ts'
import { analysis } from './analysis.ts'
import { blueprints } from './blueprints.ts'
import { deliverables } from './deliverables.ts'
import { Config, open } from './deps.ts'
import { erasure } from './erasure.ts'
import { reconcileMemory } from './facts.ts'
import { fromConsultation } from './from-consultation.ts'
import { matters } from './matters.ts'
import { profile } from './profile.ts'
import { serviceTypes } from './service-types.ts'
import { status } from './status.ts'
import { submit } from './submit.ts'
import { sync } from './sync.ts'
import { timeline } from './timeline.ts'
import { todos } from './todos.ts'

export default defineService({
  name: 'matter-service',
  folder: 'matter',
  schema: 'matter',
  config: Config,
  open,
  endpoints: [
    ...matters,
    ...status,
    ...todos,
    ...timeline,
    ...deliverables,
    ...analysis,
    ...blueprints,
    ...serviceTypes,
    ...fromConsultation,
    ...profile,
    ...sync,
    ...allocate,
    ...submit,
    ...erasure,
  ],
  jobs: { reconcile_memory: reconcileMemory },
  tick: deliverOutbox,
})
