import * as z from 'zod'
import { endpoints } from '../_kit/endpoint.ts'
import { permission } from '../_kit/identity.ts'
import type { Client } from '../_kit/peer.ts'

export const Config = z.object({})

export interface Deps {
  engine: Client
}

export const open = (_: unknown, { client }: { client(service: string): Client }): Deps => ({
  engine: client('ai-engine'),
})

export const { get, post, put, del } = endpoints<Deps>()

/** Permission for writes and for restricted reads. */
export const manage = permission('platform:manage')
