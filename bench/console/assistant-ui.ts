import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { type Load, makeThread, makeTokens, sendTokens } from './server.ts'

const home = join(import.meta.dirname, '../peers/assistant-ui')
const installed = join(tmpdir(), 'legal-suite-assistant-ui-0.15.21')
const html =
  '<!doctype html><meta charset="utf-8"><div id="app"></div><script type="module" src="/page.js"></script>'

/** The same thread and stream in assistant-ui. Returns the reason if its packages cannot be installed. */
export async function startAssistantUi({ messages, tokens }: Load) {
  const missing = install()
  if (missing) return missing
  const { outputFiles } = await build({
    entryPoints: [join(home, 'page.js')],
    nodePaths: [join(installed, 'node_modules')],
    bundle: true,
    format: 'esm',
    minify: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    write: false,
    outdir: 'out',
    logLevel: 'silent',
  })
  const script = outputFiles[0]!.contents
  const server = createServer(async (request, response) => {
    switch (request.url) {
      case '/page.js':
        response.writeHead(200, { 'content-type': 'text/javascript' }).end(script)
        return
      case '/thread':
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify(makeThread(messages)))
        return
      case '/tokens':
        response.writeHead(200, { 'content-type': 'application/x-ndjson' })
        await sendTokens(makeTokens(tokens), (token) =>
          response.write(`${JSON.stringify(token)}\n`),
        )
        response.end()
        return
      default:
        response.writeHead(200, { 'content-type': 'text/html' }).end(html)
    }
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    script,
    close: () => server.close(),
  }
}

/** Installs the packages outside of the repository: 181 packages, 59 MB. */
function install(): string | undefined {
  if (existsSync(join(installed, 'node_modules/@assistant-ui/react'))) return undefined
  mkdirSync(installed, { recursive: true })
  for (const file of ['package.json', 'package-lock.json'])
    copyFileSync(join(home, file), join(installed, file))
  try {
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit'], { cwd: installed, stdio: 'pipe' })
    return undefined
  } catch (error) {
    return `assistant-ui could not be installed: ${String(error).split('\n')[0]}`
  }
}
