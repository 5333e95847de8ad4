import * as z from 'zod'
import { endpoints } from '../_kit/endpoint.ts'
import { type Caller, permission } from '../_kit/identity.ts'
import type { Client } from '../_kit/peer.ts'
import { makeSigner, type Signer } from './audit-signing.ts'

export const Config = z.object({
  AUDIT_SIGNING_KEY: z
    .string()
    .min(32)
    .optional()
    .describe(
      'Key that signs checkpoints of the audit log: an Ed25519 private key (PEM, PKCS#8), otherwise an HMAC secret of at least 32 characters. Without it checkpoints are not signed.',
    ),
})

export interface Deps {
  signer: Signer | undefined
  engine: Client
  consultations: Client
  matter: Client
  memory: Client
  files: Client
  knowledge: Client
}

export const open = (
  config: z.output<typeof Config>,
  { client }: { client(service: string): Client },
): Deps => ({
  signer: config.AUDIT_SIGNING_KEY === undefined ? undefined : makeSigner(config.AUDIT_SIGNING_KEY),
  engine: client('ai-engine'),
  consultations: client('consultations-service'),
  matter: client('matter-service'),
  memory: client('memory-service'),
  files: client('files-service'),
  knowledge: client('knowledge-service'),
})

export const { get, post, put, del } = endpoints<Deps>()

/** Permission for writes and for restricted reads. */
export const manage = permission('platform:manage')

export const canManage = ({ superuser, permissions }: Caller) =>
  superuser || permissions.includes('platform:manage')
