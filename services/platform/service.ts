import { defineService } from '../_kit/service.ts'
import { aiAdminProxy } from './ai-admin.ts'
import { aiProxy } from './ai-proxy.ts'
import { audit } from './audit.ts'
import { auditExport } from './audit-export.ts'
import { auditVerify, failDeadVerifications, verifyAuditChain } from './audit-verify.ts'
import { categories } from './categories.ts'
import { checkpoints, signGrownChains } from './checkpoints.ts'
import { configBatch } from './config-batch.ts'
import { configs } from './configs.ts'
import { Config, open } from './deps.ts'
import { domains } from './domains.ts'
import { eraseEverywhere, failDeadErasures } from './erase-everywhere.ts'
import { erasures } from './erasures.ts'
import { deliverWebhook } from './events/deliver-webhook.ts'
import { deleteOldEvents } from './events/store-events.ts'
import { events } from './events/stream-events.ts'
import { webhooks } from './events/webhooks.ts'
import { flagBatch } from './flag-batch.ts'
import { flags } from './flags.ts'
import { gatewayErasures } from './gateway-erasures.ts'
import { health } from './health.ts'
import { legalHolds } from './legal-holds.ts'
import { tagBatch } from './tag-batch.ts'
import { tagGroups } from './tag-groups.ts'
import { tags } from './tags.ts'

export default defineService({
  name: 'platform-service',
  folder: 'platform',
  schema: 'platform',
  config: Config,
  open,
  endpoints: [
    ...configs,
    ...configBatch,
    ...flags,
    ...flagBatch,
    ...tags,
    ...tagBatch,
    ...tagGroups,
    ...categories,
    ...domains,
    ...audit,
    ...auditVerify,
    ...auditExport,
    ...checkpoints,
    ...aiProxy,
    ...aiAdminProxy,
    ...legalHolds,
    ...erasures,
    ...gatewayErasures,
    ...events,
    ...webhooks,
    ...health,
  ],
  jobs: ({ webhookTransport }) => ({
    verify_audit_chain: verifyAuditChain,
    erase: eraseEverywhere,
    ...(webhookTransport && { deliver_webhook: deliverWebhook }),
  }),
  async sweep(context) {
    await signGrownChains(context)
    await failDeadVerifications(context.sql)
    await failDeadErasures(context.sql)
    await deleteOldEvents(context.sql)
  },
})
