import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bundleOperator } from '../../operator/build.ts'
import { imageLayers, type Layer } from './contents.ts'
import { buildSbom } from './sbom.ts'
import type { TarEntry } from './tar.ts'

/** The folder of the repository inside the image. */
export const workingDirectory = 'app'

/** Writes the files of the image that are made from others: the bundle of the operator and the list of packages. */
export async function prepareGenerated(repository: string) {
  await bundleOperator(join(repository, 'dist/operator.mjs'))
  writeFileSync(join(repository, 'dist/sbom.cdx.json'), JSON.stringify(buildSbom(repository)))
}

/** Copies each layer to `<directory>/<layer>/app`, the build context of the Dockerfile. */
export function stageLayers(repository: string, directory: string) {
  rmSync(directory, { recursive: true, force: true })
  for (const { name, files } of imageLayers(repository)) {
    for (const file of files) {
      const target = join(directory, name, workingDirectory, file)
      mkdirSync(dirname(target), { recursive: true })
      copyFileSync(join(repository, file), target)
    }
  }
}

/** The tar entries of layers, folders before their files. Default: all layers. */
export const layerEntries = (repository: string, names?: Layer['name'][]) =>
  imageLayers(repository)
    .filter(({ name }) => !names || names.includes(name))
    .map(({ name, files }) => {
      const entries = new Map<string, TarEntry>()
      for (const file of files) {
        const path = `${workingDirectory}/${file}`
        for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1))
          entries.set(path.slice(0, at), { path: path.slice(0, at) })
        entries.set(path, { path, content: readFileSync(join(repository, file)) })
      }
      return { name, entries: [...entries.keys()].sort().map((path) => entries.get(path)!) }
    })
