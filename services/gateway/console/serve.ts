import * as z from 'zod'
import { Fault, notFound } from '../../_kit/fault.ts'
import { get } from '../deps.ts'
import type { ConsoleFile } from './files.node.ts'

/** First path segments of the pages of the console. `routes.ts` maps the paths below them to pages. */
export const sections = [
  'sign-in',
  'consultations',
  'matters',
  'calculators',
  'knowledge',
  'administration',
] as const

/** Inline styles and scripts are refused. A preview of a document is a blob in a frame. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; " +
  "frame-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const page = { content: { 'text/html': { schema: { type: 'string' } } } }
const asset = { content: { 'text/javascript': {}, 'text/css': {} } }

export const consolePages = [
  ...['/', ...sections.flatMap((each) => [`/${each}`, `/${each}/:path{.+}`])].map((path) =>
    get(
      path,
      {
        summary: 'Web console',
        ...(path.includes(':') && { params: z.object({ path: z.string() }) }),
        responses: { 200: page },
        faults: ['UPSTREAM_UNAVAILABLE'],
      },
      async (c) => {
        const file = (await c.env.consoleFiles()).get('index.html')
        if (!file) {
          const message = 'The console is not built. Run npm run build and restart the gateway.'
          throw new Fault('UPSTREAM_UNAVAILABLE', message)
        }
        return send(file, {
          'Content-Security-Policy': policy,
          'Cache-Control': 'no-cache',
        })
      },
    ),
  ),

  get(
    '/assets/:name',
    {
      summary: 'Script or style sheet of the web console',
      description: 'The name contains the hash of the content.',
      params: z.object({ name: z.string() }),
      responses: { 200: asset },
    },
    async (c, { params }) => {
      const file = (await c.env.consoleFiles()).get(params.name)
      if (!file || params.name === 'index.html') throw notFound(`asset ${params.name}`)
      return send(file, { 'Cache-Control': 'public, max-age=31536000, immutable' })
    },
  ),
]

/** Compression is the task of the proxy in front of the gateway. */
const send = ({ type, bytes }: ConsoleFile, headers: Record<string, string>) =>
  new Response(bytes, { headers: { 'Content-Type': type, ...headers } })
