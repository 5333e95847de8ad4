import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** Bundles the operator into one file without dependencies: `node operator/build.ts [file]`. */
export const bundleOperator = (outfile: string) =>
  build({
    entryPoints: [fileURLToPath(new URL('main.ts', import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    legalComments: 'none',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)",
    },
    outfile,
  })

if (import.meta.main) {
  await bundleOperator(process.argv[2] ?? 'dist/operator.mjs')
}
