import { Fault } from '../../_kit/fault.ts'

const maxChars = 4_000_000

/** Reads the server-sent events of a turn to their end. */
export async function readTurn(response: Response): Promise<{ output: string; card: unknown }> {
  let [text, total] = ['', 0]
  let card: unknown
  const body = response.body!.pipeThrough(
    new TextDecoderStream() as never,
  ) as ReadableStream<string>
  for await (const chunk of body) {
    total += chunk.length
    if (total > maxChars) throw new Fault('UPSTREAM_UNAVAILABLE', 'The reply is too long.')
    text += chunk
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const { event, data } = parseFrame(text.slice(0, end))
      text = text.slice(end + 2)
      if (event === 'card') card = data
      if (event === 'end')
        return { output: String((data as { output?: unknown }).output ?? ''), card }
    }
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
