import * as z from 'zod'

/** What became of a file that was parsed. */
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

/** Reads the text out of a file. Whatever is in it, the answer is an outcome and not a throw. */
export type Parser = (
  contentType: string,
  bytes: ReadableStream<Uint8Array>,
  signal: AbortSignal,
) => Promise<ParseOutcome>
