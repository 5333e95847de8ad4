/** Page script: loads the description and fills the page. */
export const script = String.raw`
const [main, filter, count] = ['main', '#filter', '#count'].map((selector) => document.querySelector(selector))
const kept = 'api-headers'
const everywhere = {
  'X-Internal-Api-Key': 'asked for on internal paths',
  'X-Organization-Id': 'the organization that asks',
  'X-User-Id': 'the person that asks',
  'X-Permissions': 'comma-separated',
  'X-Is-Superuser': 'true or false',
}

function identity() {
  try {
    return JSON.parse(sessionStorage.getItem(kept)) ?? {}
  } catch {
    return {}
  }
}

function identityFields() {
  const before = identity()
  const inputs = Object.entries(everywhere).map(([name, hint]) => {
    const type = name === 'X-Internal-Api-Key' ? 'password' : 'text'
    const input = make('input', { id: name, type, placeholder: hint, autocomplete: 'off', spellcheck: 'false', value: before[name] ?? '' })
    input.addEventListener('input', keep)
    return make('div', { class: 'field' }, make('label', { for: name }, make('code', { class: 'name' }, name)), input)
  })
  function keep() {
    const all = Object.keys(everywhere).map((name) => [name, document.getElementById(name).value])
    sessionStorage.setItem(kept, JSON.stringify(Object.fromEntries(all.filter(([, value]) => value !== ''))))
  }
  const fields = document.querySelector('#identity .fields')
  fields.append(...inputs)
  fields.addEventListener('submit', (event) => event.preventDefault())
  document.querySelector('#identity').open = Object.keys(before).length === 0
}

function show() {
  const methods = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'trace']
  const all = Object.entries(description.paths ?? {}).flatMap(([path, item]) =>
    methods.filter((method) => item[method]).map((method) => ({ method, path, operation: item[method] })))
  document.querySelector('#version').textContent = description.info?.version ?? ''
  const about = description.info?.description ?? ''
  document.querySelector('#about div').append(...about.split('\n').filter(Boolean).map((line) => make('p', {}, prose(line))))
  document.querySelector('#about').hidden = about === ''
  main.removeAttribute('aria-busy')
  main.replaceChildren(...(all.length ? renderGroups(all) : nothing()))
  filter.parentElement.hidden = all.length === 0
  filter.addEventListener('input', narrow)
  narrow()
}

function renderGroups(all) {
  const groups = Map.groupBy(all, ({ operation }) => operation.tags?.[0] ?? 'other')
  return [...groups].map(([tag, operations]) => make('section', { class: 'group' }, make('h2', {}, tag),
    operations.map((each) => {
      const element = renderOperation(each)
      const { operationId = '', summary = '', description: text = '' } = each.operation
      element.words = [each.method, each.path, tag, operationId, summary, text].join(' ').toLowerCase()
      return element
    })))
}

const nothing = () => [
  make('div', { class: 'nothing' },
    make('h2', {}, 'No operation is shown here'),
    make('p', {}, 'The description of this service holds no paths. Internal paths are left out unless the service is told otherwise. To see them, start it with'),
    make('pre', {}, 'AI_BOOT_OPENAPI_EXCLUDE_PATH_PREFIXES='),
    make('p', {}, prose('that is, with the variable set and empty. A path must also begin with one of \u0060AI_BOOT_OPENAPI_INCLUDE_PATH_PREFIXES\u0060, by default \u0060/api/\u0060.'))),
]

function narrow() {
  const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean)
  let shown = 0
  for (const group of main.querySelectorAll('.group')) {
    const operations = [...group.querySelectorAll('.operation')]
    for (const operation of operations) operation.hidden = !wanted.every((word) => operation.words.includes(word))
    const left = operations.filter((operation) => !operation.hidden).length
    group.hidden = left === 0
    shown += left
  }
  count.textContent = shown === 1 ? '1 operation' : shown + ' operations'
}

// A link to an operation opens it; an opened operation updates the URL.
function openLinked() {
  const linked = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (!linked?.matches('.operation')) return
  linked.open = true
  linked.scrollIntoView()
}
main.addEventListener('toggle', ({ target }) => {
  if (target.open && target.matches('.operation')) history.replaceState(null, '', '#' + encodeURIComponent(target.id))
}, true)
addEventListener('hashchange', openLinked)

identityFields()
try {
  const response = await fetch('../v3/api-docs')
  if (!response.ok) throw new Error('status ' + response.status)
  description = await response.json()
  show()
  openLinked()
} catch (error) {
  main.removeAttribute('aria-busy')
  main.replaceChildren(make('p', { class: 'failed' }, 'The description could not be read: ' + error.message))
}
`
