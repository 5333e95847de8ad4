/** Page script: DOM helpers; a schema rendered as type, tree and example. */
export const schemas = String.raw`
let description = {}

// Inserts description content as text, never as markup.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'on') for (const [event, react] of Object.entries(value)) element.addEventListener(event, react)
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : value)
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ''))
  return element
}

// Renders text between backquotes as code.
const prose = (text = '') =>
  text.split('\u0060').map((part, index) => (index % 2 ? make('code', {}, part) : part))

// A details element whose content is built when it is first opened.
function fold(attributes, summary, inside) {
  const details = make('details', attributes, make('summary', {}, summary))
  details.addEventListener('toggle', () => details.open && details.append(...inside()), { once: true })
  return details
}

const refName = (ref) => ref.split('/').pop()

function resolveRef(schema) {
  if (!schema?.$ref) return schema ?? {}
  return schema.$ref.slice(2).split('/').reduce((json, step) => json?.[step], description) ?? {}
}

const choices = (schema) => schema.anyOf ?? schema.oneOf

function describeType(schema = {}) {
  if (schema.$ref) return refName(schema.$ref)
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (choices(schema)) return [...new Set(choices(schema).map(describeType))].join(' or ')
  if (schema.allOf) return schema.allOf.map(describeType).join(' and ')
  if (schema.not && Object.keys(schema.not).length === 0) return 'nothing'
  const types = [schema.type ?? (schema.properties ? 'object' : 'any JSON')].flat()
  return types.map((type) => typed(type, schema)).join(' or ')
}

function typed(type, schema) {
  if (type === 'array') return 'array of ' + describeType(schema.items)
  const values = schema.additionalProperties
  if (type === 'object' && values && Object.keys(values).length) return 'object of ' + describeType(values)
  return schema.format ? type + ' (' + schema.format + ')' : type
}

function describeLimits(schema) {
  const { minLength, maxLength, minItems, maxItems, pattern, format } = schema
  const span = (min, max, unit) =>
    min === undefined && max === undefined ? '' : (min ?? 0) + ' to ' + (max ?? '∞') + unit
  const within = (number) => (Math.abs(number) < Number.MAX_SAFE_INTEGER ? number : undefined)
  const [minimum, maximum] = [within(schema.minimum), within(schema.maximum)]
  return [
    span(minLength, maxLength, ' characters'),
    span(minItems, maxItems, ' items'),
    minimum !== undefined && maximum !== undefined ? minimum + ' to ' + maximum : '',
    minimum !== undefined && maximum === undefined ? 'at min ' + minimum : '',
    minimum === undefined && maximum !== undefined ? 'at max ' + maximum : '',
    pattern && !format ? 'like ' + pattern : '',
    'default' in schema ? 'default ' + JSON.stringify(schema.default) : '',
  ].filter(Boolean).join(', ')
}

// Object schemas within a schema, with their names.
function objectsIn(schema, name) {
  if (schema?.$ref) return objectsIn(resolveRef(schema), refName(schema.$ref))
  if (!schema) return []
  const parts = [...(choices(schema) ?? []), ...(schema.allOf ?? [])]
  const own = schema.properties && Object.keys(schema.properties).length ? [{ name, schema }] : []
  const values = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : null
  return [...own, ...[...parts, schema.items, values].flatMap((part) => objectsIn(part))]
}

// Requests mark required members; responses mark optional ones.
function members(schema, mark) {
  const required = schema.required ?? []
  const marked = (name) => required.includes(name) === (mark === 'required')
  return make('ul', { class: 'schema' }, Object.entries(schema.properties).map(([name, member]) => {
    const { description: text } = member.$ref ? resolveRef(member) : member
    return make('li', {},
      make('code', { class: 'name' }, name), ' ', make('span', { class: 'type' }, describeType(member)),
      marked(name) ? make('b', {}, ' ' + mark) : '', make('span', { class: 'limits' }, describeLimits(member)),
      text ? make('span', { class: 'text' }, prose(text)) : '',
      objectsIn(member).map(({ name, schema }) => fold({}, name ?? 'members', () => [members(schema, mark)])))
  }))
}

function renderSchema(schema, mark) {
  const objects = objectsIn(schema)
  const named = schema.$ref || schema.type !== 'object' || objects.length !== 1
  return [
    named ? make('p', { class: 'type' }, describeType(schema)) : '',
    ...objects.map(({ schema }) => members(schema, mark)),
  ].filter(Boolean)
}

function buildExample(schema = {}, within = []) {
  if (schema.$ref) {
    return within.includes(schema.$ref) ? null : buildExample(resolveRef(schema), [...within, schema.$ref])
  }
  for (const given of [schema.examples?.[0], schema.example, schema.default, schema.const, schema.enum?.[0]]) {
    if (given !== undefined) return given
  }
  if (choices(schema)) return buildExample(choices(schema)[0], within)
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => buildExample(part, within)))
  const type = [schema.type ?? (schema.properties ? 'object' : 'null')].flat()[0]
  if (type === 'object') {
    const all = Object.entries(schema.properties ?? {})
    const needed = all.filter(([name]) => schema.required?.includes(name))
    return Object.fromEntries((needed.length ? needed : all).map(([name, member]) => [name, buildExample(member, within)]))
  }
  if (type === 'array') return schema.items && describeType(schema.items) !== 'nothing' ? [buildExample(schema.items, within)] : []
  if (type === 'integer' || type === 'number') return Math.max(schema.minimum ?? 0, 0)
  if (type === 'boolean') return true
  if (type !== 'string') return null
  const now = new Date().toISOString()
  const byFormat = { uuid: '00000000-0000-7000-8000-000000000000', 'date-time': now, date: now.slice(0, 10), uri: 'urn:example' }
  return byFormat[schema.format] ?? 'text'.padEnd(schema.minLength ?? 0, '.')
}
`
