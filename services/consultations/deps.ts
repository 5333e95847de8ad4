import * as z from 'zod'
import { endpoints } from '../_kit/endpoint.ts'
import type { Client } from '../_kit/peer.ts'
import type { OpenContext } from '../_kit/service.ts'
import { type BatchWriter, makeBatchWriter } from './turn/batch-writer.ts'
import { type Feeds, makeFeeds } from './turn/feeds.ts'

const milliseconds = (max: number, standard: number) =>
  z.coerce.number().int().min(1).max(max).default(standard)

export const Config = z.object({
  TURN_PATIENCE_MS: milliseconds(600_000, 10_000).describe(
    'How long a turn looks for an engine that has gone before its stream ends with an error; it is picked up again later.',
  ),
  TURN_HEARTBEAT_MS: milliseconds(600_000, 15_000).describe(
    'After how much silence a stream gets a comment line.',
  ),
})

export interface Deps {
  matter: Client
  engine: Client
  files: Client
  memory: Client
  /** What is told of turns, for those who read it in this process. */
  feeds: Feeds
  /** Writes down what the turns relayed by this process tell. */
  writer: BatchWriter
  engineTimeoutMs: number
  heartbeatMs: number
}

export const open = (config: z.output<typeof Config>, { client }: OpenContext): Deps => ({
  matter: client('matter-service'),
  engine: client('ai-engine'),
  files: client('files-service'),
  memory: client('memory-service'),
  feeds: makeFeeds(),
  writer: makeBatchWriter(),
  engineTimeoutMs: config.TURN_PATIENCE_MS,
  heartbeatMs: config.TURN_HEARTBEAT_MS,
})

export const { get, post, put, patch, del } = endpoints<Deps>()
