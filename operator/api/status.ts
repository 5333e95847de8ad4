import * as z from 'zod'
import { atomic, mapKeys, Time, text } from './fields.ts'

export const Condition = z.object({
  type: text(64),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: text(64),
  message: z.string().max(1024),
  lastTransitionTime: Time,
  observedGeneration: z.int().min(0),
})
export type Condition = z.infer<typeof Condition>

/** By the kstatus convention: Ready, and while it is not, why: Reconciling or Stalled. */
export const Conditions = z.array(Condition).max(16).meta(mapKeys('type'))

export const ObservedGeneration = z
  .int()
  .min(0)
  .describe('The generation of the spec that this status speaks of.')

/** What was made, so that it is found again when it is no longer wanted; all in one namespace. */
export const Inventory = z
  .array(
    z.object({
      group: z.string().max(128),
      version: text(32),
      kind: text(63),
      name: text(253),
    }),
  )
  .max(128)
  .meta(mapKeys('group', 'kind', 'name'))
export type Inventory = z.infer<typeof Inventory>

export const HistoryEntry = z.object({
  time: Time,
  generation: z.int().min(0),
  version: z.string().max(63).optional(),
  reason: text(64),
  message: z.string().max(512),
})
export type HistoryEntry = z.infer<typeof HistoryEntry>

/** The newest first. */
export const History = z.array(HistoryEntry).max(10).meta(atomic)
