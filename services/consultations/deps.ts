import * as z from 'zod'
import type { OpenContext } from '../_kit/context.ts'
import { endpoints } from '../_kit/endpoint.ts'
import type { Client } from '../_kit/peer.ts'
import { type BatchWriter, makeBatchWriter } from './turn/log/batch-writer.ts'
import { makeTurnLogs, type TurnLogs } from './turn/log/turn-logs.ts'

const milliseconds = (max: number, standard: number) =>
  z.coerce.number().int().min(1).max(max).default(standard)

export const Config = z.object({
  TURN_PATIENCE_MS: milliseconds(600_000, 10_000).describe(
    'Time without a response of ai-engine after which the stream of a turn ends with an error. The turn is resumed later.',
  ),
  RETENTION_DAYS_EVENTS: z.coerce
    .number()
    .int()
    .min(1)
    .max(36_500)
    .default(30)
    .describe('Days after which the events of a finished turn or run are deleted.'),
  TURN_HEARTBEAT_MS: milliseconds(600_000, 15_000).describe(
    'Silence after which a stream gets a comment line.',
  ),
})

export interface Deps {
  matter: Client
  engine: Client
  files: Client
  platform: Client
  memory: Client
  logs: TurnLogs
  writer: BatchWriter
  engineTimeoutMs: number
  heartbeatMs: number
  eventRetentionDays: number
}

export const open = (config: z.output<typeof Config>, { client }: OpenContext): Deps => ({
  matter: client('matter-service'),
  engine: client('ai-engine'),
  files: client('files-service'),
  platform: client('platform-service'),
  memory: client('memory-service'),
  logs: makeTurnLogs(),
  writer: makeBatchWriter(),
  engineTimeoutMs: config.TURN_PATIENCE_MS,
  heartbeatMs: config.TURN_HEARTBEAT_MS,
  eventRetentionDays: config.RETENTION_DAYS_EVENTS,
})

export const { get, post, put, patch, del } = endpoints<Deps>()
