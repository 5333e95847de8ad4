import * as z from 'zod'
import { ExternalId } from '../_kit/fields.ts'
import { printable } from '../_kit/identity.ts'

/** A key that the engine chooses: of a todo, a phase, a deliverable. */
export const Name = z.string().min(1).max(200)
export const Title = z.string().min(1).max(500)

/** An organization travels in a header, so its id must fit one. */
export const OrganizationId = z
  .union([z.string().min(1).max(200).regex(printable), z.int()])
  .transform(String)
  .pipe(z.string())

export const FileIds = z.array(ExternalId).max(2_000)

/** A moment of our age, as the database gives it back. */
export const Timestamp = z.iso
  .datetime({ offset: true })
  .regex(/^(19[7-9]|2\d)\d/)
  .transform((text) => new Date(text).toISOString())
  .pipe(z.string())
