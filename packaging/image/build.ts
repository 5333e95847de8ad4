import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildImage, readBaseImage } from './archive.ts'
import { containerConfig } from './container.ts'
import { engineCommand, findEngine } from './engine.ts'
import { layerEntries, prepareGenerated, stageLayers } from './stage.ts'

const usage = `Usage: npm run image -- [--tag NAME:TAG]… [--base IMAGE] [--target suite|dev]
                        [--engine docker|podman|buildah]
       npm run image -- --archive FILE --base-archive FILE [--tag NAME:TAG]…

The first form builds the Dockerfile with a container engine. The second form needs no engine: it adds the same
layers to a base image that \`docker save\` or \`skopeo copy\` wrote, and writes an archive for \`docker load\`,
\`kind load image-archive\` or \`ctr images import\`. Run npm ci before.`

const repository = resolve(import.meta.dirname, '../..')

async function main() {
  const { values } = parseArgs({
    options: {
      tag: { type: 'string', multiple: true },
      base: { type: 'string' },
      engine: { type: 'string' },
      archive: { type: 'string' },
      'base-archive': { type: 'string' },
      target: { type: 'string', default: 'suite' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(usage)
  const manifest = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
  const { version, scripts } = manifest as { version: string; scripts: Record<string, string> }
  const tags = values.tag ?? [`legal-suite:${version}`]
  // Checked first, because the rest takes a while.
  const engine = values.archive ? undefined : findEngine(values.engine)
  if (scripts.build) run(['npm', 'run', 'build'])
  await prepareGenerated(repository)
  if (values.archive) {
    if (!values['base-archive']) throw new Error(`--archive requires --base-archive.\n${usage}`)
    writeImage(values.archive, values['base-archive'], tags, version)
    return
  }
  const context = join(repository, 'dist/image')
  stageLayers(repository, context)
  cpSync(join(import.meta.dirname, 'dev'), join(context, 'dev'), { recursive: true })
  const { base, target } = values
  run(engineCommand(engine!, { tags, base, version, context, target }))
}

function writeImage(file: string, baseFile: string, tags: string[], version: string) {
  const base = readBaseImage(readFileSync(baseFile))
  const names = tags.map((tag) =>
    /^[^/]+[.:][^/]*\//.test(tag) ? tag : `docker.io/library/${tag}`,
  )
  const image = buildImage(base, layerEntries(repository), containerConfig(version), names)
  mkdirSync(dirname(resolve(file)), { recursive: true })
  writeFileSync(file, image.archive)
  console.log(`${file}: ${tags.join(', ')}, ${(image.size / 1e6).toFixed(1)} MB, ${image.digest}`)
}

function run([command, ...args]: string[]) {
  const env = { ...process.env, SOURCE_DATE_EPOCH: '0' }
  const { status } = spawnSync(command!, args, { cwd: repository, stdio: 'inherit', env })
  if (status !== 0) throw new Error(`${command} ${args[0]} failed`)
}

main().catch((error: Error) => {
  console.error(error.message)
  process.exit(1)
})
