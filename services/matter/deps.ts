import * as z from 'zod'
import { endpoints } from '../_kit/endpoint.ts'
import type { Client } from '../_kit/peer.ts'
import { type Blueprint, bundledBlueprints, parseBlueprints } from './blueprint.ts'

export const Config = z.object({})

export interface Deps {
  files: Client
  memory: Client
  platform: Client
  blueprints: readonly Blueprint[]
}

export const open = (_: unknown, { client }: { client(service: string): Client }): Deps => ({
  files: client('files-service'),
  memory: client('memory-service'),
  platform: client('platform-service'),
  blueprints: parseBlueprints(bundledBlueprints),
})

export const { get, post, put } = endpoints<Deps>()
