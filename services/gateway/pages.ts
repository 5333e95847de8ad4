import { html } from 'hono/html'
import { notFound } from '../_kit/fault.ts'
import { accepts } from '../_kit/keys.ts'
import { consolePages } from './console/serve.ts'
import { get } from './deps.ts'
import { serviceNames } from './target.ts'

const text = { content: { 'text/plain': { schema: { type: 'string' } } } }

export const pages = [
  ...consolePages,

  get(
    '/services',
    { summary: 'Index of the API pages', responses: { 200: { content: { 'text/html': {} } } } },
    async (c) => {
      const nonce = crypto.randomUUID()
      c.header(
        'Content-Security-Policy',
        `default-src 'none'; style-src 'nonce-${nonce}'; ` +
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
      </style>
    </head>
    <body>
      <h1>Legal suite</h1>
      <p><a href="/">Web console</a></p>
      <h2>Services</h2>
      <p><a href="/api/v1/swagger-ui/index.html">API page of all services</a></p>
      <table>
        <tbody>
          ${serviceNames.map(row)}
        </tbody>
      </table>
    </body>
  </html>`
