import { deliverOutbox } from '../_kit/event-outbox.ts'
import { defineService } from '../_kit/service.ts'
import { chat } from './chat.ts'
import { Config, open } from './deps.ts'
import { erasure } from './erasure.ts'
import { intakeContext } from './intake-context.ts'
import { messages } from './messages.ts'
import { pendingCards } from './pending-card.ts'
import { resume } from './resume.ts'
import { sessions } from './sessions.ts'
import { skipCard } from './skip-card.ts'
import { stop } from './stop.ts'
import { stream } from './stream.ts'
import { deleteOldEvents } from './turn/log/event-store.ts'
import { deleteExpiredRelays } from './turn/log/relay-lease.ts'
import { takeOverExpiredTurns } from './turn/run-turn.ts'
import { takeNotices } from './turn/take-notices.ts'

export default defineService({
  name: 'consultations-service',
  folder: 'consultations',
  schema: 'consultations',
  config: Config,
  open,
  endpoints: [
    ...sessions,
    ...messages,
    ...chat,
    ...resume,
    ...pendingCards,
    ...skipCard,
    ...stop,
    ...stream,
    ...intakeContext,
    ...erasure,
  ],
  tick: async (context) =>
    (await takeOverExpiredTurns(context)) +
    (await takeNotices(context)) +
    (await deliverOutbox(context)),
  async sweep({ sql, eventRetentionDays }) {
    await deleteOldEvents(sql, eventRetentionDays)
    await deleteExpiredRelays(sql)
  },
})
