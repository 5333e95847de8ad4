import { html } from 'hono/html'
import { notFound } from '../_kit/fault.ts'
import { accepts } from '../_kit/keys.ts'
import { get } from './deps.ts'
import { serviceNames } from './target.ts'

const text = { content: { 'text/plain': { schema: { type: 'string' } } } }

export const pages = [
  get(
    '/',
    { summary: 'Index page', responses: { 200: { content: { 'text/html': {} } } } },
    async (c) => {
      const nonce = crypto.randomUUID()
      c.header(
        'Content-Security-Policy',
        `default-src 'none'; connect-src 'self'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; ` +
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      )
      return c.html(indexPage(nonce))
    },
  ),

  get(
    '/healthz',
    {
      summary: 'Health',
      responses: { 200: { content: { 'application/json': { schema: { type: 'object' } } } } },
    },
    async (c) => {
      const up = await c.env.sql`select 1`.then(
        () => true,
        () => false,
      )
      return c.json({ status: up ? 'UP' : 'DOWN' }, up ? 200 : 503)
    },
  ),

  get(
    '/metrics',
    {
      summary: 'Prometheus metrics',
      description: 'Requires METRICS_TOKEN as bearer token.',
      responses: { 200: text },
      faults: ['NOT_FOUND'],
    },
    async (c) => {
      const sent = /^Bearer (.+)$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? ''
      const { metricsToken } = c.env
      if (!metricsToken || !accepts({ current: metricsToken, accepted: [] }, sent))
        throw notFound('page at /metrics')
      return c.text(c.env.kit.metrics.text())
    },
  ),
]

const script = `
const status = document.querySelector('#status'), people = document.querySelector('#people')
const call = async (path, init) => { const r = await fetch(path, init); return { ok: r.ok, ...(await r.json()) } }
async function show() {
  const me = await call('/auth/me')
  people.replaceChildren()
  if (me.ok) {
    status.textContent = 'Signed in as ' + me.data.name
    add('Sign out', async () => {
      const out = await call('/auth/logout', { method: 'POST', headers: { 'X-CSRF-Token': me.data.csrf } })
      if (out.data?.end_session_url) location.href = out.data.end_session_url
      else show()
    })
    return
  }
  const list = await call('/auth/people')
  status.textContent = list.ok ? 'Sign in as' : 'Not signed in'
  if (!list.ok) add('Sign in', () => { location.href = '/auth/login?return_to=/' })
  for (const person of list.ok ? list.data : []) add(person.name, async () => {
    await call('/auth/local', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ person: person.id }) })
    show()
  })
}
function add(label, act) {
  const button = document.createElement('button')
  button.textContent = label
  button.onclick = act
  people.append(button)
}
show()`

const row = (name: string) => html`
  <tr>
    <th scope="row">${name}</th>
    <td><a href="/${name}/api/v1/swagger-ui/index.html">API page</a></td>
    <td><a href="/${name}/api/v1/v3/api-docs">OpenAPI</a></td>
  </tr>`

const indexPage = (nonce: string) => html`<!doctype html>
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>Legal suite</title>
      <style nonce="${nonce}">
        :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
        body { max-width: 48rem; margin: 3rem auto; padding: 0 1rem }
        table { border-collapse: collapse; width: 100% }
        th, td { text-align: left; padding: .5rem 1rem .5rem 0; border-bottom: 1px solid #8884 }
        button { font: inherit; margin: 0 .5rem .5rem 0; padding: .3rem .8rem }
      </style>
    </head>
    <body>
      <h1>Legal suite</h1>
      <p id="status" role="status">…</p>
      <p id="people"></p>
      <h2>Services</h2>
      <p><a href="/api/v1/swagger-ui/index.html">API page of all services</a></p>
      <table>
        <tbody>
          ${serviceNames.map(row)}
        </tbody>
      </table>
      <script nonce="${nonce}">${html([script] as unknown as TemplateStringsArray)}</script>
    </body>
  </html>`
