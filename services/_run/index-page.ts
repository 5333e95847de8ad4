import { Hono } from 'hono'
import { html } from 'hono/html'
import type { Service } from '../_kit/service.ts'
import { portOf } from './services.ts'

/** Lists the running services with links to their API pages. */
export function indexPage(services: Service[], port: number) {
  const app = new Hono()
  app.get('/', (c) => {
    const host = new URL(c.req.url).hostname
    c.header(
      'Content-Security-Policy',
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
    )
    return c.html(page(services.map((each) => row(each, `http://${host}:${portOf(each, port)}`))))
  })
  app.notFound((c) =>
    c.json(
      { code: 'NOT_FOUND', message: 'Only the index page is served on this port.', data: null },
      404,
    ),
  )
  return app.fetch
}

const row = ({ name }: Service, at: string) => html`
  <tr>
    <th scope="row">${name}</th>
    <td><code>${at}</code></td>
    <td><a href="${at}/api/v1/swagger-ui/index.html">API page</a></td>
    <td><a href="${at}/api/v1/v3/api-docs">OpenAPI</a></td>
    <td><a href="${at}/api/v1/internal/actuator/health">Health</a></td>
  </tr>`

const page = (rows: ReturnType<typeof row>[]) => html`<!doctype html>
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>Legal suite</title>
      <style>
        :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
        body { max-width: 56rem; margin: 3rem auto; padding: 0 1rem }
        div { overflow-x: auto }
        table { border-collapse: collapse; width: 100% }
        th, td { text-align: left; padding: .5rem 1rem .5rem 0; border-bottom: 1px solid #8884; white-space: nowrap }
      </style>
    </head>
    <body>
      <h1>Legal suite</h1>
      <p>These services run in this process. Each has a page where its API can be read and tried.</p>
      <div>
        <table>
          <tbody>
            ${rows}
          </tbody>
        </table>
      </div>
    </body>
  </html>`
