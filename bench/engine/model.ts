import { createServer } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

/**
 * Model stub in its own process: streams `words` words, one every `everyMs` milliseconds.
 * `PUT /pace?words=100&everyMs=1` changes both, so that all paces meet the same warmed-up processes.
 */
const port = Number(process.argv[2])
let pace = { words: 100, everyMs: 0 }

createServer(async (request, response) => {
  for await (const _ of request);
  if (request.method === 'PUT') {
    const { searchParams } = new URL(request.url!, 'http://model')
    pace = {
      words: Number(searchParams.get('words')),
      everyMs: Number(searchParams.get('everyMs')),
    }
    response.writeHead(204).end()
    return
  }
  const { words, everyMs } = pace
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const sendChoice = (choice: object) =>
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`)
  const startedAt = performance.now()
  for (let n = 0; n < words; n++) {
    sendChoice({ delta: { content: `词${n} ` } })
    const ahead = startedAt + (n + 1) * everyMs - performance.now()
    if (ahead > 1) await wait(ahead)
    else if (n % 64 === 0) await new Promise(setImmediate)
  }
  sendChoice({ delta: {}, finish_reason: 'stop' })
  response.end('data: [DONE]\n\n')
}).listen(port, '127.0.0.1', () => console.log('listening'))
