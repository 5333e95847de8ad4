import { createServer } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

/** Model stub in its own process: streams `words` words, one every `everyMs` milliseconds. */
const [port, words, everyMs] = process.argv.slice(2).map(Number) as [number, number, number]

createServer(async (request, response) => {
  for await (const _ of request);
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
