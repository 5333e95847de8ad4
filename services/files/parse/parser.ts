import * as z from 'zod'

export const ParseOutcome = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('SUCCEEDED'),
    text: z.string(),
    pages: z.int(),
    language: z.string().nullable(),
    truncated: z.boolean(),
  }),
  z.object({ status: z.enum(['FAILED', 'UNSUPPORTED']), reason: z.string() }),
])
export type ParseOutcome = z.infer<typeof ParseOutcome>

/** First line that the parser process writes, before it reads the file. */
export const startedLine = 'started'

/** Extracts the text of a file. Invalid content is an outcome, not an exception. */
export interface Parser {
  (
    contentType: string,
    bytes: ReadableStream<Uint8Array>,
    signal: AbortSignal,
  ): Promise<ParseOutcome>
  /** Health check. Throws if the last parser process could not start. */
  check(): Promise<void>
}
