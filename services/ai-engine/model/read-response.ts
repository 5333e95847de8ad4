import type { Assembler } from './assembly.ts'
import { makeLineSplitter } from './line-splitter.ts'
import { malformedResponse, oversizedResponse } from './model-error.ts'

/** Limit of a streamed response, framing included. */
const maxStreamBytes = 33_554_432
/** Limit of a response that is not streamed. */
const maxJsonBytes = 4_194_304

/** Reads the data of one event into the assembler. */
export type TakeEvent = (event: unknown, assembler: Assembler) => void

/** Reads a response: a stream of events, or JSON from a server that does not stream. */
export function readResponse(
  response: Response,
  assembler: Assembler,
  takeEvent: TakeEvent,
  onActivity: () => void,
): Promise<void> {
  const isJson = response.headers.get('content-type')?.includes('application/json')
  const take = (data: string) => {
    if (data === '[DONE]') assembler.end()
    else takeEvent(parseJson(data), assembler)
  }
  return isJson
    ? readJson(response, take, onActivity)
    : readStream(response, assembler, take, onActivity)
}

type TakeData = (data: string) => void

async function readStream(
  response: Response,
  assembler: Assembler,
  take: TakeData,
  onActivity: () => void,
) {
  const takeLine = (line: string) => {
    if (line.startsWith('data:') && !assembler.ended()) take(line.slice(5).trim())
  }
  const lines = makeLineSplitter()
  for await (const bytes of readChunks(response, maxStreamBytes, onActivity)) {
    for (const line of lines.take(bytes)) takeLine(line)
    assembler.flush()
    if (assembler.ended()) return
  }
  takeLine(lines.rest())
}

async function readJson(response: Response, take: TakeData, onActivity: () => void) {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of readChunks(response, maxJsonBytes, onActivity)) {
    text += decoder.decode(bytes, { stream: true })
  }
  take(text + decoder.decode())
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
      if (length > maxBytes) throw oversizedResponse()
      yield value
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}

function parseJson(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    throw malformedResponse()
  }
}
