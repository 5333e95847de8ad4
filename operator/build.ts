import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

/**
 * Lets esbuild drop the generated API classes of client-node, which its `KubeConfig` imports and the operator
 * does not use. The package does not declare that its modules have no side effects.
 */
const withoutGeneratedClasses: Plugin = {
  name: 'without-generated-classes',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\/.*\.js$/ }, ({ path, resolveDir }) =>
      resolveDir.includes('/node_modules/@kubernetes/client-node/')
        ? { path: join(resolveDir, path), sideEffects: false }
        : undefined,
    )
  },
}

/** Bundles a process into one file without dependencies. */
export const bundleProcess = (entryPoint: string, outfile: string) =>
  build({
    entryPoints: [entryPoint],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    legalComments: 'none',
    plugins: [withoutGeneratedClasses],
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)",
    },
    outfile,
  })

/** Bundles the operator: `node operator/build.ts [file]`. */
export const bundleOperator = (outfile: string) =>
  bundleProcess(fileURLToPath(new URL('main.ts', import.meta.url)), outfile)

if (import.meta.main) {
  await bundleOperator(process.argv[2] ?? 'dist/operator.mjs')
}
