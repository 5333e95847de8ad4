// Creates and reads matters over keep-alive connections until stdin ends. Then reads every acknowledged matter
// again and prints the result.
import { Agent, request } from 'node:http'

const { gateway, token, connections, pauseMs } = JSON.parse(process.argv[2])
// Each worker has its own connection: one that is shared may be idle until the server closes it.
const makeAgent = () => new Agent({ keepAlive: true, maxSockets: 1 })
const matters = '/matter-service/api/v1/matters'
const result = { sent: 0, failures: [], lost: [] }
const acknowledged = []
let stopped = false
process.stdin.resume().on('end', () => {
  stopped = true
})
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

function send(agent, method, path, body) {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const sent = request(gateway + path, { method, agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode, text }))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body && JSON.stringify(body))
  })
}

/** Returns the data of a successful response. Records any other outcome. */
async function attempt(agent, method, path, body) {
  result.sent++
  const at = new Date().toISOString()
  try {
    const { status, text } = await send(agent, method, path, body)
    if (status < 400) return JSON.parse(text).data
    result.failures.push({ method, status, message: text.slice(0, 300), at })
  } catch (error) {
    result.failures.push({ method, code: error.code, message: error.message, at })
  }
  return undefined
}

async function work(worker) {
  const agent = makeAgent()
  for (let n = 0; !stopped; n++) {
    const created = await attempt(agent, 'POST', matters, { title: `load ${worker}/${n}` })
    if (created) acknowledged.push(created.id)
    await pause(Math.random() * pauseMs)
    if (created) await attempt(agent, 'GET', `${matters}/${created.id}`)
    await pause(Math.random() * pauseMs)
  }
}

/** Whether a matter can be read. A service that is not available is asked again for a minute. */
async function isStored(agent, id) {
  for (let attempts = 0; attempts < 60; attempts++) {
    const { status } = await send(agent, 'GET', `${matters}/${id}`).catch(() => ({ status: 503 }))
    if (status === 200) return true
    if (status === 404) return false
    await pause(1_000)
  }
  return false
}

await Promise.all(Array.from({ length: connections }, (_, worker) => work(worker)))
const reader = makeAgent()
for (const id of acknowledged) if (!(await isStored(reader, id))) result.lost.push(id)
console.log(JSON.stringify({ ...result, acknowledged: acknowledged.length }))
process.exit(0)
