import { stringify } from 'yaml'
import { buildDefinition } from './crd.ts'
import { legalSuite } from './legal-suite.ts'
import type { CustomResource } from './resource.ts'
import { seedPackageApply } from './seed-package-apply.ts'

const write = (resource: CustomResource) =>
  `# Made from operator/api by \`npm run generate\`.\n${stringify(buildDefinition(resource), { aliasDuplicateObjects: false, lineWidth: 0 })}`

/** Writes the CustomResourceDefinitions as YAML files. */
export const definitions: Record<string, () => string> = {
  'crds/legalsuites.yaml': () => write(legalSuite),
  'crds/seedpackageapplies.yaml': () => write(seedPackageApply),
}
