/** Page script: one operation with its description and try-it form. */
export const operations = String.raw`
const root = location.pathname.replace(/\/api\/v1\/swagger-ui\/index\.html$/, '')

// Allows line breaks before slashes of a long path.
const breakable = (path) => path.split('/').slice(1).flatMap((step) => [make('wbr'), '/' + step])

function renderOperation({ method, path, operation }) {
  const summary = [
    make('span', { class: 'method ' + method }, method.toUpperCase()), ' ',
    make('code', { class: 'path' }, breakable(path)), ' ', make('span', { class: 'about' }, operation.summary ?? ''),
  ]
  return fold({ class: 'operation', id: operation.operationId }, summary, () => [
    make('div', { class: 'inside' },
      operation.description ? make('p', {}, prose(operation.description)) : '',
      renderForm(method, path, operation), renderResponses(operation.responses ?? {})),
  ])
}

function renderResponses(responses) {
  return make('section', {}, make('h3', {}, 'Responses'), Object.entries(responses).map(([status, response]) => {
    const schema = Object.values(response.content ?? {})[0]?.schema
    const headers = Object.entries(response.headers ?? {})
    return fold({ class: 'response' }, [renderStatus(status), ' ', ...prose(response.description)], () => [
      ...(schema ? renderSchema(schema, 'optional') : []),
      headers.length ? make('p', { class: 'text' }, 'Headers: ', headers.map(([name]) => name).join(', ')) : '',
    ].filter(Boolean))
  }))
}

const renderStatus = (status) => make('span', { class: 'status s' + String(status)[0] }, status)

function renderForm(method, path, { parameters = [], requestBody, operationId }) {
  const fields = parameters.map((parameter, index) => makeField(resolveRef(parameter), operationId + '-' + index))
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? []
  const body = content && makeBody(type, content, requestBody, operationId + '-body')
  const button = make('button', {}, 'Send')
  const output = make('div', { class: 'output', 'aria-live': 'polite' })
  async function send(event) {
    event.preventDefault()
    button.disabled = true
    output.replaceChildren(make('p', {}, 'Waiting for the response …'))
    output.replaceChildren(...(await sendRequest(buildRequest(method, path, fields, body?.value()))))
    button.disabled = false
  }
  return make('form', { on: { submit: send } },
    fields.length ? [make('h3', {}, 'Parameters'), make('div', { class: 'fields' }, fields.map((field) => field.element))] : '',
    body ? [make('h3', {}, 'Body'), body.element] : '',
    make('p', {}, button), output)
}

function makeField({ name, in: place, required, schema = {}, description: text }, id) {
  const above = name in everywhere
  const options = schema.enum ?? (schema.type === 'boolean' ? [true, false] : null)
  const input = options
    ? make('select', { id }, required ? '' : make('option', { value: '' }, '—'), options.map((each) => make('option', {}, String(each))))
    : schema.format === 'binary'
      ? make('input', { id, type: 'file' })
      : make('input', { id, value: required && !above ? String(buildExample(schema) ?? '') : '', placeholder: above ? 'as above' : '', autocomplete: 'off', spellcheck: 'false' })
  const element = make('div', { class: 'field' },
    make('label', { for: id }, make('code', { class: 'name' }, name), ' ', make('span', { class: 'place' }, place),
      required ? make('b', {}, ' required') : ''),
    input,
    make('p', { class: 'text' }, make('span', { class: 'type' }, describeType(schema)),
      make('span', { class: 'limits' }, describeLimits(place === 'header' ? { ...schema, pattern: '' } : schema)),
      text ? make('span', { class: 'text' }, prose(text)) : ''))
  return { name, place, element, value: () => (input.type === 'file' ? (input.files[0] ?? '') : input.value) }
}

// Builds the body: JSON text, a form, or a file.
function makeBody(type, content, requestBody, id) {
  const { schema = {} } = content
  if (/json/.test(type)) return jsonBody(type, content, requestBody, id)
  if (type === 'multipart/form-data') {
    const fields = Object.entries(resolveRef(schema).properties ?? {}).map(([name, member], index) =>
      makeField({ name, in: 'form', required: schema.required?.includes(name), schema: member, description: member.description }, id + index))
    const form = () => fields.filter((field) => field.value() !== '')
      .reduce((form, field) => (form.append(field.name, field.value()), form), new FormData())
    return { element: make('div', { class: 'fields' }, fields.map((field) => field.element)), value: () => ({ body: form() }) }
  }
  const file = makeField({ name: 'file', in: type, required: requestBody.required, schema: { ...schema, format: 'binary' } }, id)
  const sentAs = type.includes('*') ? 'application/octet-stream' : type
  return { element: file.element, value: () => file.value() && { body: file.value(), headers: { 'Content-Type': sentAs } } }
}

function jsonBody(type, { schema = {}, example: given }, { required, description: text }, id) {
  const example = JSON.stringify(given === undefined ? buildExample(schema) : given, null, 2)
  const input = make('textarea', { id, rows: Math.min(20, Math.max(4, example.split('\n').length + 1)), spellcheck: 'false' })
  input.value = example
  const element = make('div', { class: 'body' },
    make('div', {}, renderSchema(schema, 'required'), make('p', { class: 'text' }, required ? '' : 'Optional. ', prose(text))),
    make('div', {}, make('label', { for: id }, 'What to send'), input))
  return { element, value: () => input.value.trim() && { body: input.value, headers: { 'Content-Type': type } } }
}

function buildRequest(method, path, fields, body) {
  const values = (place) => fields.filter((field) => field.place === place && field.value() !== '')
    .map((field) => [field.name, field.value()])
  const filled = values('path').reduce((path, [name, value]) => path.replace('{' + name + '}', () => encodeURIComponent(value)), path)
  const query = new URLSearchParams(values('query')).toString()
  return {
    method: method.toUpperCase(),
    url: root + filled + (query && '?' + query),
    headers: { ...identity(), ...Object.fromEntries(values('header')), ...body?.headers },
    ...(body && { body: body.body }),
  }
}

// A write with the session cookie of the gateway needs its CSRF token.
async function csrfHeader(method) {
  if (method === 'GET') return {}
  const me = await fetch('/auth/me').then((response) => (response.ok ? response.json() : null), () => null)
  return me?.data?.csrf ? { 'X-CSRF-Token': me.data.csrf } : {}
}

async function sendRequest({ url, ...init }) {
  const started = performance.now()
  const line = make('p', {}, make('code', {}, init.method + ' ' + url))
  try {
    const headers = { ...(await csrfHeader(init.method)), ...init.headers }
    const response = await fetch(url, { ...init, headers })
    const body = await response.blob()
    const took = Math.round(performance.now() - started)
    return [
      line,
      make('p', { class: 'result' }, renderStatus(response.status), ' ' + response.statusText + ' in ' + took + ' ms'),
      await shown(body),
      fold({}, 'Headers', () => [make('pre', {}, [...response.headers].map(([name, value]) => name + ': ' + value).join('\n'))]),
    ]
  } catch (error) {
    return [line, make('p', { class: 'failed' }, 'The request could not be sent: ' + error.message)]
  }
}

async function shown(body) {
  if (body.size && !/^text\/|json|xml/.test(body.type)) {
    return make('p', {}, make('a', { href: URL.createObjectURL(body), download: '' }, 'Save'), ' ' + body.size + ' bytes of ' + body.type)
  }
  return make('pre', { tabindex: '0', 'aria-label': 'Response body' }, pretty(await body.text()) || 'No body.')
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
`
