import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { ConfigError, KitConfig } from '../_kit/config.ts'
import { addressVariable } from '../_kit/peer.ts'
import type { Service } from '../_kit/service.ts'
import { bundleConsole } from '../gateway/console/build.node.ts'
import { HostConfig } from './config.ts'
import { fail, version } from './host.ts'
import { servicePort, suite } from './services.ts'
import { workerdConfig } from './workerd-config.ts'

const here = fileURLToPath(new URL('.', import.meta.url))

/** Puts the files of the web console into the bundle of the gateway, as workerd has no file system. */
const withConsole: Plugin = {
  name: 'with-console',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/console\/files\.node\.ts$/ }, () => ({
      path: 'console-files',
      namespace: 'console',
    }))
    onLoad({ filter: /./, namespace: 'console' }, async () => {
      const files = await bundleConsole()
      const texts = files.map(({ bytes, ...file }) => ({
        ...file,
        text: new TextDecoder().decode(bytes),
      }))
      return {
        contents: `export const readConsole = async () => ${JSON.stringify(texts)}.map(
          ({ text, ...file }) => ({ ...file, bytes: new TextEncoder().encode(text) }))`,
      }
    })
  },
}

/** Bundles a service into one file for workerd. `node:*` imports fail the build. */
export async function bundle({ folder }: Service, directory: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import { worker } from './workerd.ts'
        import service from '../${folder}/service.ts'
        export default worker(service, ${JSON.stringify(version)})`,
      resolveDir: here,
      loader: 'ts',
    },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['workerd', 'worker', 'browser', 'import'],
    mainFields: ['browser', 'module', 'main'],
    target: 'es2024',
    // Loaded only by runtimes with processes.
    external: ['*.node.ts'],
    plugins: [withConsole],
    // Replaces a parser that needs a browser DOM.
    alias: { '@aws-sdk/xml-builder': '@aws-sdk/xml-builder/dist-cjs/index.js' },
    minify: true,
    write: false,
    logLevel: 'silent',
  })
  const [file] = outputFiles
  await writeFile(join(directory, `${folder}.js`), file!.contents)
  return file!.contents.length
}

/** Environment variables of a service on workerd: its own, those of the kit, and peer addresses. */
const allowedVariables = (service: Service, others: Service[]) => {
  const host = ['DATABASE_URL', 'NEON_WS_PROXY', 'LOG_LEVEL']
  const config = Object.keys({ ...KitConfig.shape, ...service.config.shape })
  return [...host, ...config, ...others.map(({ name }) => addressVariable(name))]
}

/** Bundles services into `directory` with a workerd configuration; returns the bundle sizes. */
export async function buildEdge(chosen: Service[], directory: string) {
  await mkdir(directory, { recursive: true })
  const others = suite.filter((each) => !chosen.includes(each))
  const sizes = await Promise.all(chosen.map((service) => bundle(service, directory)))
  const deployed = chosen.map((service) => ({
    service,
    address: `127.0.0.1:${servicePort(service, HostConfig.shape.PORT.parse(undefined))}`,
    variables: allowedVariables(service, others),
  }))
  await writeFile(join(directory, 'suite.capnp'), workerdConfig(deployed))
  return chosen.map(({ folder }, index) => ({ folder, bytes: sizes[index]! }))
}

/** Usage: `node services/_run/build.ts [service…]`, then `workerd serve dist/edge/suite.capnp`. */
async function main(folders: string[]) {
  const unknown = folders.filter((name) => !suite.some(({ folder }) => folder === name))
  if (unknown.length > 0) throw new ConfigError(`Unknown service: ${unknown.join(', ')}.`)
  const chosen = suite.filter(({ folder }) => folders.length === 0 || folders.includes(folder))
  for (const { folder, bytes } of await buildEdge(chosen, 'dist/edge')) {
    console.log(`dist/edge/${folder}.js  ${Math.round(bytes / 1024)} KB`)
  }
}

if (import.meta.main) await main(process.argv.slice(2)).catch(fail)
