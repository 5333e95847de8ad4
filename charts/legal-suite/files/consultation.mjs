// Opens a consultation, asks a question and expects a reply. Exits with 1 and one line otherwise.
const sessions = `${process.env.CONSULTATIONS_SERVICE_URL}/api/v1/consultations/sessions`
const headers = {
  'content-type': 'application/json',
  'x-user-id': '1',
  'x-organization-id': 'helm-test',
  'x-user-type': 'client',
}
const post = async (url, body) => {
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`)
  return text
}

try {
  const { data } = JSON.parse(await post(sessions, { title: 'helm test' }))
  const stream = await post(`${sessions}/${data.id}/chat`, { content: '什么是诉讼时效？' })
  const last = stream.split('\n').findLast((line) => line.startsWith('data: '))
  const end = JSON.parse(last?.slice('data: '.length) ?? '{}')
  if (!end.output && !end.interrupted) throw new Error(`no reply: ${last}`)
  console.log(`reply: ${end.output ?? 'a card with questions'}`)
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
