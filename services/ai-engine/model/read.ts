import type { assemble } from './assembly.ts'
import { makeLines } from './lines.ts'
import { tooLarge } from './model-error.ts'

/** Of a stream, with all that is around its words. */
const mostBytes = 33_554_432
/** Of an answer in one piece. */
const mostInOnePiece = 4_194_304

type Assembly = ReturnType<typeof assemble>

/** Reads an answer, a stream of events or, from a server that can't stream, one piece of JSON. */
export function read(response: Response, assembly: Assembly, heard: () => void): Promise<void> {
  const whole = response.headers.get('content-type')?.includes('application/json')
  return whole ? readWhole(response, assembly, heard) : readStream(response, assembly, heard)
}

async function readStream(response: Response, assembly: Assembly, heard: () => void) {
  const lines = makeLines()
  for await (const bytes of bytesOf(response, mostBytes, heard)) {
    for (const line of lines.take(bytes)) takeLine(assembly, line)
    if (assembly.ended()) return
  }
  takeLine(assembly, lines.rest())
}

function takeLine(assembly: Assembly, line: string) {
  if (line.startsWith('data:') && !assembly.ended()) assembly.take(line.slice(5).trim())
}

async function readWhole(response: Response, assembly: Assembly, heard: () => void) {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of bytesOf(response, mostInOnePiece, heard)) {
    text += decoder.decode(bytes, { stream: true })
  }
  assembly.take(text + decoder.decode())
}

async function* bytesOf(response: Response, most: number, heard: () => void) {
  const reader = response.body!.getReader()
  let length = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      heard()
      length += value.length
      if (length > most) throw tooLarge()
      yield value
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}
