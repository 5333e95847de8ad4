import * as z from 'zod'

/** An id of ours. A text of another shape names nothing. */
export const Id = z.uuid()

/** An id from elsewhere: integer or string, always kept as string. */
export const ExternalId = z
  .union([z.string().min(1).max(200), z.int()])
  .transform(String)
  .pipe(z.string())

export const Time = z.iso.datetime({ precision: 3 })

export const Version = z.int().min(1)

/** Any JSON. Its size is bounded by the body's. */
export const Json = z.unknown()

export const JsonObject = z.record(z.string(), z.unknown())

/** A key that people choose: `matters.service_types`. */
export const Key = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,199}$/, 'letters, digits and . _ : - , at most 200')

/** A moment given by a client, with or without an offset of its own. */
export const Moment = z.iso.datetime({ offset: true })

/** The same as milliseconds: the database knows fewer years and offsets than RFC 3339 can write. */
export const Instant = Moment.transform((text) => Date.parse(text))
