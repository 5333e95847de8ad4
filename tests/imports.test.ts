import { globSync, readFileSync } from 'node:fs'
import { dirname, normalize } from 'node:path'
import { expect, test } from 'vitest'

/** Packages that only one service may import. */
const packages: Record<string, string> = {
  'ai-engine': '|docx$|pdfkit$|yaml$',
  gateway: '|@modelcontextprotocol/server$|esbuild$|jose$|openid-client$',
  knowledge: '|@qdrant/js-client-rest$|neo4j-driver$',
  collector: '|croner$|fflate$|htmlparser2$|robots-parser$|yaml$',
  files:
    '|@aws-sdk/|file-type$|fflate$|htmlparser2$|mammoth$|pngjs$|read-excel-file/universal$|tesseract.js$|unpdf$',
}

/** Import rules. The first matching folder defines what a file may import, and whether `node:` is allowed. */
const rules: [folder: RegExp, may: (own: string) => RegExp, node: RegExp][] = [
  [
    /^services\/_kit\//,
    () => /^(services\/_kit\/|hono|zod$|ipaddr\.js$|postgres$|@neondatabase\/|@electric-sql\/)/,
    /^services\/_kit\/(sql\/migrate|outbound\/transport\.node)\.ts$/,
  ],
  [
    /^services\/_run\//,
    () =>
      /^(services\/_kit\/|services\/_run\/|services\/[a-z-]+\/service\.ts$|services\/gateway\/console\/build\.node\.ts$|hono|@hono\/|zod$|pino$|undici$|esbuild$)/,
    /./,
  ],
  // The console runs in a browser. The gateway only builds and serves it.
  [
    /^services\/gateway\/console\/(?!serve\.ts|.*\.node\.ts)/,
    () =>
      /^(services\/gateway\/console\/(?!serve\.ts|.*\.node\.ts)|fflate$|preact(\/hooks)?$|marked$|@tanstack\/virtual-core$)/,
    /(?!)/,
  ],
  [
    /^services\/([a-z-]+)\//,
    (own) => new RegExp(`^(services/${own}/|services/_kit/|hono|zod$${packages[own] ?? ''})`),
    /\.(cli|worker|node)\.ts$/,
  ],
  // The runtime is independent of suites. Rendered objects depend on the resource alone.
  [
    /^operator\/runtime\//,
    () =>
      /^(operator\/runtime\/|services\/_kit\/(log|metrics)\.ts$|@kubernetes\/client-node\/|pino$|yaml$|zod$)/,
    /./,
  ],
  [/^operator\/api\//, () => /^(operator\/(api|runtime)\/|zod$|yaml$)/, /./],
  [
    /^operator\/desired\//,
    () => /^(operator\/(api|desired)\/|operator\/runtime\/(objects|canonical)\.ts$|zod$)/,
    /./,
  ],
  [/^operator\//, () => /^(operator\/|services\/_kit\/|zod$|esbuild$)/, /./],
]

/** The `from` clause of a static import or re-export, on one line or several. */
const imports = /^\s*(?:\}|import\b|export\b)[^'\n]* from '([^'$]+)'/gm

const files = globSync('{services,operator}/**/*.{ts,tsx}').filter(
  (file) => !/\.test\.ts$|\/testing\//.test(file),
)

test.each(files)('%s imports only allowed modules', (file) => {
  const [folder, may, node] = rules.find(([folder]) => folder.test(file))!
  const allowed = may(folder.exec(file)?.[1] ?? '')
  for (const [, from] of readFileSync(file, 'utf8').matchAll(imports)) {
    const target = from!.startsWith('.') ? normalize(`${dirname(file)}/${from}`) : from!
    if (target.startsWith('node:')) expect(file, `${file} imports ${from}`).toMatch(node)
    else expect(target, `${file} imports ${from}`).toMatch(allowed)
  }
})

const mayRead = /^(services\/_run\/|operator\/main\.ts$)/
test.each(files.filter((file) => !mayRead.test(file)))('%s reads no environment', (file) => {
  expect(readFileSync(file, 'utf8')).not.toMatch(/process\.env|Deno\.env/)
})

test('the rule catches a service that imports another', () => {
  const [, may] = rules.find(([folder]) => folder.test('services/memory/facts.ts'))!
  expect('services/platform/configs.ts').not.toMatch(may('memory'))
  expect('services/memory/facts.ts').toMatch(may('memory'))
})

/** Import specifiers of files of this repository: type imports, re-exports and `import()` count. */
const relativeImports = /\b(?:from|import)\s*\(?\s*'(\.[^'$]+)'/g

function importGraph(): Map<string, string[]> {
  return new Map(
    globSync('{services,operator}/**/*.{ts,tsx}').map((file) => [
      file,
      [...readFileSync(file, 'utf8').matchAll(relativeImports)].map(([, from]) =>
        normalize(`${dirname(file)}/${from}`),
      ),
    ]),
  )
}

/** Depth-first search. Returns one cycle for each edge that leads back to a file on the path. */
function findCycles(graph: ReadonlyMap<string, string[]>): string[] {
  const cycles: string[] = []
  const visited = new Set<string>()
  const visit = (file: string, path: string[]) => {
    if (path.includes(file)) {
      cycles.push([...path.slice(path.indexOf(file)), file].join(' → '))
      return
    }
    if (visited.has(file)) return
    visited.add(file)
    for (const imported of graph.get(file) ?? []) visit(imported, [...path, file])
  }
  for (const file of graph.keys()) visit(file, [])
  return cycles
}

test('no import leads back to its file, type imports included', () => {
  expect(findCycles(importGraph())).toEqual([])
})

test('an import cycle is reported with every file on it', () => {
  const graph = new Map([
    ['a', ['b']],
    ['b', ['c', 'd']],
    ['c', ['b']],
    ['d', []],
  ])
  expect(findCycles(graph)).toEqual(['b → c → b'])
})

test('no written source file is longer than 300 lines', () => {
  const generated = [
    'services/ai-engine/skills/bundled.ts',
    'services/gateway/console/api/types.ts',
  ]
  const long = files.filter(
    (file) => !generated.includes(file) && readFileSync(file, 'utf8').split('\n').length > 301,
  )
  expect(long).toEqual([])
})
