import * as z from 'zod'
import type { OpenContext } from '../_kit/context.ts'
import { endpoints } from '../_kit/endpoint.ts'
import { type Caller, organization, permission, requireAll } from '../_kit/identity.ts'
import type { Transport } from '../_kit/outbound/transport.ts'
import type { Client } from '../_kit/peer.ts'
import { makeSigner, type Signer } from './audit-signing.ts'
import { type EventFeed, makeEventFeed } from './events/feed.ts'

export const Config = z.object({
  WEBHOOK_ALLOWED_HOSTS: z
    .string()
    .default('')
    .describe(
      'Comma-separated hosts (host or host:port) that webhooks may reach although their address is private, also by http.',
    ),
  AUDIT_SIGNING_KEY: z
    .string()
    .min(32)
    .optional()
    .describe(
      'Key that signs checkpoints of the audit log: an Ed25519 private key (PEM, PKCS#8), otherwise an HMAC secret of at least 32 characters. Without it checkpoints are not signed.',
    ),
})

export interface Deps {
  feed: EventFeed
  /** Transport of webhooks. Undefined on a runtime that cannot choose the address it connects to. */
  webhookTransport: (() => Promise<Transport>) | undefined
  webhookAllowedHosts: readonly string[]
  signer: Signer | undefined
  engine: Client
  consultations: Client
  matter: Client
  memory: Client
  files: Client
  knowledge: Client
  collector: Client
}

export const open = (
  config: z.output<typeof Config>,
  { client, runtime }: Pick<OpenContext, 'client' | 'runtime'>,
): Deps => ({
  feed: makeEventFeed(),
  webhookTransport: runtime === 'workerd' ? undefined : loadNodeTransport,
  webhookAllowedHosts: config.WEBHOOK_ALLOWED_HOSTS.split(',')
    .map((host) => host.trim())
    .filter(Boolean),
  signer: config.AUDIT_SIGNING_KEY === undefined ? undefined : makeSigner(config.AUDIT_SIGNING_KEY),
  engine: client('ai-engine'),
  consultations: client('consultations-service'),
  matter: client('matter-service'),
  memory: client('memory-service'),
  files: client('files-service'),
  knowledge: client('knowledge-service'),
  collector: client('collector-service'),
})

const loadNodeTransport = async () =>
  (await import('../_kit/outbound/transport.node.ts')).nodeTransport

export const { get, post, put, del } = endpoints<Deps>()

/** Permission for writes and for restricted reads. */
export const manage = permission('platform:manage')

/** For records of an organization. */
export const manageOwn = requireAll(manage, organization)

export const canManage = ({ superuser, permissions }: Caller) =>
  superuser || permissions.includes('platform:manage')
