import * as z from 'zod'
import { ExternalId } from '../_kit/fields.ts'
import { printable } from '../_kit/identity.ts'

/** Key of a todo, phase or deliverable, chosen by the engine. */
export const Name = z.string().min(1).max(200)
export const Title = z.string().min(1).max(500)

/** Organization ids are sent as headers, so they must be printable ASCII. */
export const OrganizationId = z
  .union([z.string().min(1).max(200).regex(printable), z.int()])
  .transform(String)
  .pipe(z.string())

export const FileIds = z.array(ExternalId).max(2_000)

/** Timestamp from 1970 to 2999, normalized to UTC with milliseconds. */
export const Timestamp = z.iso
  .datetime({ offset: true })
  .regex(/^(19[7-9]|2\d)\d/)
  .transform((text) => new Date(text).toISOString())
  .pipe(z.string())
