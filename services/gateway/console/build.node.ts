import { mkdir, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import type { ConsoleFile } from './files.node.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
/** Directory that the gateway reads on Node and Deno. */
export const builtConsole = fileURLToPath(new URL('../../../dist/console/', import.meta.url))

const contentTypes: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
}

/** Bundles the console: one entry, one chunk for each page and language, one style sheet, one HTML file. */
export async function bundleConsole(): Promise<ConsoleFile[]> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: here,
    entryPoints: ['main.tsx', 'style/main.css'],
    entryNames: '[name]-[hash]',
    chunkNames: 'chunk-[hash]',
    outdir: 'out',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: ['chrome123', 'firefox128', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'silent',
  })
  const names = Object.keys(metafile.outputs).map((path) => path.split('/').at(-1)!)
  const entry = (extension: string) =>
    names.find((name) => /^main-\w+\./.test(name) && name.endsWith(extension))!
  const assets = outputFiles.map(({ path, contents }) => {
    const name = path.split('/').at(-1)!
    return { name, type: contentTypes[name.split('.').at(-1)!]!, bytes: new Uint8Array(contents) }
  })
  const page = new TextEncoder().encode(html(entry('.js'), entry('.css')))
  return [{ name: 'index.html', type: 'text/html; charset=utf-8', bytes: page }, ...assets]
}

const html = (script: string, style: string) => `<!doctype html>
<html lang="zh">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Legal suite</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/assets/${style}">
<script type="module" src="/assets/${script}"></script>
</head>
<body><div id="app"></div></body>
</html>
`

/** Writes the bundle to `dist/console`: `npm run build`. */
async function main() {
  const files = await bundleConsole()
  await rm(builtConsole, { recursive: true, force: true })
  await mkdir(builtConsole, { recursive: true })
  for (const { name, bytes } of files)
    await writeFile(new URL(name, `file://${builtConsole}`), bytes)
  const script = files.filter(({ name }) => name.endsWith('.js'))
  const compressed = script.reduce((sum, { bytes }) => sum + gzipSync(bytes).length, 0)
  console.log(
    `dist/console: ${script.length} scripts, ${Math.round(compressed / 1024)} KB compressed`,
  )
}

if (import.meta.main) await main()
