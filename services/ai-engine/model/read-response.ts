import type { makeAssembler } from './assembly.ts'
import { makeLineSplitter } from './line-splitter.ts'
import { oversizedAnswer } from './model-error.ts'

/** Limit of a streamed response, framing included. */
const maxStreamBytes = 33_554_432
/** Limit of a response that is not streamed. */
const maxJsonBytes = 4_194_304

type Assembly = ReturnType<typeof makeAssembler>

/** Reads a response: a stream of events, or JSON from a server that does not stream. */
export function readResponse(
  response: Response,
  assembly: Assembly,
  onActivity: () => void,
): Promise<void> {
  const isJson = response.headers.get('content-type')?.includes('application/json')
  return isJson
    ? readJson(response, assembly, onActivity)
    : readStream(response, assembly, onActivity)
}

async function readStream(response: Response, assembly: Assembly, onActivity: () => void) {
  const lines = makeLineSplitter()
  for await (const bytes of readChunks(response, maxStreamBytes, onActivity)) {
    for (const line of lines.take(bytes)) takeLine(assembly, line)
    if (assembly.ended()) return
  }
  takeLine(assembly, lines.rest())
}

function takeLine(assembly: Assembly, line: string) {
  if (line.startsWith('data:') && !assembly.ended()) assembly.take(line.slice(5).trim())
}

async function readJson(response: Response, assembly: Assembly, onActivity: () => void) {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of readChunks(response, maxJsonBytes, onActivity)) {
    text += decoder.decode(bytes, { stream: true })
  }
  assembly.take(text + decoder.decode())
}

async function* readChunks(response: Response, maxBytes: number, onActivity: () => void) {
  const reader = response.body!.getReader()
  let length = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onActivity()
      length += value.length
      if (length > maxBytes) throw oversizedAnswer()
      yield value
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}
