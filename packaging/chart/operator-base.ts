import { readdirSync, readFileSync } from 'node:fs'
import { parseAllDocuments, stringify } from 'yaml'
import type { KubeObject } from '../../operator/runtime/objects.ts'

const deploy = new URL('../../operator/deploy/', import.meta.url)

const readManifests = (folder: URL): KubeObject[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .flatMap((name) =>
      parseAllDocuments(readFileSync(new URL(name, folder), 'utf8')).map((each) => each.toJS()),
    )

/** Writes `charts/legal-suite-operator/files/base.yaml` from the manifests in operator/deploy. */
export const operatorBaseYaml = () =>
  `# Made from operator/deploy by \`npm run generate\`.\n${stringify(
    {
      objects: readManifests(deploy),
      monitoring: readManifests(new URL('monitoring/', deploy)),
    },
    { aliasDuplicateObjects: false, lineWidth: 0 },
  )}`
