export interface StreamEvent {
  id: string
  event: string
  data: unknown
}

/** The service sends a comment every 15 s. A longer silence is a lost connection. */
const maxSilenceMs = 40_000

/** Events are parsed for this long before input and frames have their turn. */
const sliceMs = 8

/** Reads the events of a response. Ends with the stream; throws if the connection is lost. */
export async function* readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<StreamEvent> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  let sliceEnd = performance.now() + sliceMs
  try {
    for (;;) {
      const { done, value } = await withDeadline(reader.read())
      if (done) return
      const frames = (text + value).split('\n\n')
      text = frames.pop()!
      for (const frame of frames) {
        const event = parseFrame(frame)
        if (event) yield event
        if (performance.now() < sliceEnd) continue
        await nextTask()
        sliceEnd = performance.now() + sliceMs
      }
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}

/** Ends the task. A timer would wait longer after a few repetitions. */
function nextTask(): Promise<void> {
  const { port1, port2 } = new MessageChannel()
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(null)
  })
}

function withDeadline<T>(reading: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout>
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The stream is silent.')), maxSilenceMs)
  })
  return Promise.race([reading, silence]).finally(() => clearTimeout(timer))
}

/** Parses one event; undefined for a comment. */
function parseFrame(frame: string): StreamEvent | undefined {
  const fields: Record<string, string> = {}
  for (const line of frame.split('\n')) {
    const [, name, value] = /^(id|event|data): ?(.*)$/.exec(line) ?? []
    if (name !== undefined) fields[name] = value!
  }
  const { id, event, data } = fields
  if (id === undefined || event === undefined || data === undefined) return undefined
  return { id, event, data: JSON.parse(data) }
}
