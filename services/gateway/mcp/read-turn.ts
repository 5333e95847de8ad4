import { Fault } from '../../_kit/fault.ts'

const maxChars = 4_000_000

export interface TurnResult {
  output: string
  /** Card that waits for answers. */
  card: unknown
  /** Code and message of a turn that failed. */
  error: unknown
}

/** Reads the server-sent events of a turn to their end. */
export async function readTurn(response: Response): Promise<TurnResult> {
  const result: TurnResult = { output: '', card: undefined, error: undefined }
  let [text, total] = ['', 0]
  const body = response.body!.pipeThrough(
    new TextDecoderStream() as never,
  ) as ReadableStream<string>
  try {
    for await (const chunk of body) {
      total += chunk.length
      if (total > maxChars) throw new Fault('UPSTREAM_UNAVAILABLE', 'The reply is too long.')
      text += chunk
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const { event, data } = parseFrame(text.slice(0, end))
        text = text.slice(end + 2)
        if (event === 'card') result.card = data
        if (event === 'error') result.error = data
        if (event === 'end') {
          return { ...result, output: String((data as { output?: unknown }).output ?? '') }
        }
      }
    }
  } catch (thrown) {
    if (thrown instanceof Fault) throw thrown
  }
  throw new Fault('UPSTREAM_UNAVAILABLE', 'The reply ended early. Read the session again.')
}

function parseFrame(frame: string): { event: string; data: unknown } {
  const fields = new Map<string, string>()
  for (const line of frame.split('\n')) {
    const at = line.indexOf(': ')
    if (at > 0) fields.set(line.slice(0, at), line.slice(at + 2))
  }
  return { event: fields.get('event') ?? '', data: JSON.parse(fields.get('data') ?? 'null') }
}
