// Uploads the files of a story, tells it to its end and downloads the documents. Prints what the matter holds.
const { gateway, token, story } = JSON.parse(process.argv[2])
const authorization = { authorization: `Bearer ${token}` }
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

async function call(method, path, body) {
  const isForm = body instanceof FormData
  const response = await fetch(gateway + path, {
    method,
    headers: { ...authorization, ...(body && !isForm && { 'content-type': 'application/json' }) },
    body: isForm || !body ? body : JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return text
}
const read = async (...args) => JSON.parse(await call(...args)).data
const files = '/files-service/api/v1/files'
const sessions = '/consultations-service/api/v1/consultations/sessions'

async function upload({ filename, text, base64 }) {
  const form = new FormData()
  form.set('file', new File([base64 ? Buffer.from(base64, 'base64') : text], filename))
  form.set('parse', 'true')
  const { fileId } = await read('POST', `${files}/upload`, form)
  for (;;) {
    const { parseStatus, parseError } = await read('GET', `${files}/${fileId}`)
    if (parseStatus === 'SUCCEEDED') return fileId
    if (!['PENDING', 'PROCESSING'].includes(parseStatus)) {
      throw new Error(`${filename}: ${parseStatus} ${parseError}`)
    }
    await pause(500)
  }
}

const parseEvents = (text) =>
  text.split('\n\n').flatMap((block) => {
    const [, event, data] = /^event: (.*)\ndata: (.*)$/m.exec(block) ?? []
    return data ? [{ event, data: JSON.parse(data) }] : []
  })

const answer = ({ field_key }) =>
  Object.hasOwn(story.answers, field_key)
    ? { field_key, value: story.answers[field_key] }
    : { field_key, value: null, unknown: true }

const fileIds = {}
for (const [name, file] of Object.entries(story.files)) fileIds[name] = await upload(file)
const texts = {}
for (const [name, id] of Object.entries(fileIds))
  texts[name] = (await read('GET', `${files}/${id}/text`)).text

const session = `${sessions}/${(await read('POST', sessions, { title: story.name })).id}`
let cards = 0
for (const { message, files: names = [] } of story.turns) {
  const file_ids = names.map((name) => fileIds[name])
  let events = parseEvents(await call('POST', `${session}/chat`, { content: message, file_ids }))
  while (events.at(-1).data.interrupted) {
    if (++cards > 15) throw new Error(`another card: ${JSON.stringify(events)}`)
    const card = events.find(({ event }) => event === 'card').data
    const user_response = { answers: card.questions.map(answer) }
    events = parseEvents(await call('POST', `${session}/resume`, { user_response }))
  }
}

const { matter_id } = await read('GET', session)
const deliverables = []
if (matter_id) {
  const { items } = await read('GET', `/matter-service/api/v1/matters/${matter_id}/deliverables`)
  for (const { deliverable_key, file_id } of items) {
    const response = await fetch(`${gateway}${files}/${file_id}/download`, {
      headers: authorization,
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    const start = bytes.subarray(0, 4).toString('latin1')
    deliverables.push({ deliverable_key, status: response.status, size: bytes.length, start })
  }
}
console.log(JSON.stringify({ cards, texts, deliverables }))
