import * as z from 'zod'
import { atomicList, mapList, Time, text } from './fields.ts'

export const Condition = z.object({
  type: text(64),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: text(64),
  message: z.string().max(1024),
  lastTransitionTime: Time,
  observedGeneration: z.int().min(0),
})
export type Condition = z.infer<typeof Condition>

/** kstatus conventions: Ready always, Reconciling or Stalled only while they are true. */
const Conditions = z.array(Condition).max(16).meta(mapList('type'))

const ObservedGeneration = z
  .int()
  .min(0)
  .describe('Generation of the spec that this status describes.')

/**
 * References to all objects that may exist, all in the namespace of the suite. Used to find obsolete ones.
 */
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
  .meta(mapList('group', 'kind', 'name'))
export type Inventory = z.infer<typeof Inventory>

/** Data objects that no spec uses any more. The uid is needed to request their deletion. */
export const Retained = z
  .array(
    z.object({
      group: z.string().max(128),
      version: text(32),
      kind: text(63),
      name: text(253),
      uid: text(64),
      isRequestStale: z
        .boolean()
        .optional()
        .describe(
          'The removal was requested before the object was retained. Remove its uid from the annotation and add it again.',
        ),
    }),
  )
  .max(64)
  .meta(mapList('uid'))

export const HistoryEntry = z.object({
  time: Time,
  generation: z.int().min(0),
  version: z.string().max(63).optional(),
  reason: text(64),
  message: z.string().max(512),
})
export type HistoryEntry = z.infer<typeof HistoryEntry>

/** Newest first. */
const History = z.array(HistoryEntry).max(10).meta(atomicList)

/** Fields that the status of every custom resource has. */
export const statusFields = {
  observedGeneration: ObservedGeneration.optional(),
  conditions: Conditions.optional(),
  history: History.optional(),
}
