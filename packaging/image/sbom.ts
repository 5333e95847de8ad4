import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { productionPackages } from './production-packages.ts'

interface LockedPackage {
  version: string
  license?: string
  integrity: string
}

/** Lists the packages of the image in the CycloneDX format. Equal lockfiles give equal lists. */
export function buildSbom(repository: string) {
  const lockfile = join(repository, 'package-lock.json')
  const { name, version, packages } = JSON.parse(readFileSync(lockfile, 'utf8')) as {
    name: string
    version: string
    packages: Record<string, LockedPackage>
  }
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: { type: 'application', name, version, licenses: licenses('Apache-2.0') },
    },
    components: productionPackages(lockfile).map((folder) => component(folder, packages[folder]!)),
  }
}

function component(folder: string, { version, license, integrity }: LockedPackage) {
  const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const [algorithm, digest] = integrity.split('-') as [string, string]
  return {
    type: 'library',
    'bom-ref': folder,
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(license && { licenses: licenses(license) }),
    hashes: [
      {
        alg: algorithm.toUpperCase().replace('SHA', 'SHA-'),
        content: Buffer.from(digest, 'base64').toString('hex'),
      },
    ],
  }
}

/** An id of SPDX or an expression of several. `BSD` alone is neither. */
function licenses(text: string) {
  if (/[ ()]/.test(text)) return [{ expression: text }]
  return [{ license: text === 'BSD' ? { name: text } : { id: text } }]
}
