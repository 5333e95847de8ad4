import { stringify } from 'yaml'
import { definition } from './crd.ts'
import { legalSuite } from './legal-suite.ts'
import type { Resource } from './resource.ts'
import { seedPackageApply } from './seed-package-apply.ts'

const write = (resource: Resource) =>
  `# Made from operator/api by \`npm run generate\`.\n${stringify(definition(resource), { aliasDuplicateObjects: false, lineWidth: 0 })}`

/** The definitions of our resources, as files. */
export const definitions: Record<string, () => string> = {
  'crds/legalsuites.yaml': () => write(legalSuite),
  'crds/seedpackageapplies.yaml': () => write(seedPackageApply),
}
