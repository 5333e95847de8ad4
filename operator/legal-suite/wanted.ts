import type { LegalSuite } from '../api/legal-suite.ts'
import type { Facts } from '../desired/common.ts'
import { desired } from '../desired/index.ts'
import type { KubeObject } from '../runtime/objects.ts'
import { secretObjects } from './secrets.ts'

/**
 * All objects of a suite, in the same form again for as long as nothing that they are made of changes. Of
 * the suites that were asked for last only: they are large, and passes over one follow each other closely.
 */
export function makeWanted(most = 16) {
  const known = new Map<string, { from: string; objects: KubeObject[] }>()

  return (suite: LegalSuite, facts: Facts): KubeObject[] => {
    const { uid } = suite.metadata
    const { apis, secrets, operatorNamespace } = facts
    const from = JSON.stringify([suite.spec, [...apis], [...secrets], operatorNamespace])
    const last = known.get(uid)
    const objects = last?.from === from ? last.objects : objectsOf(suite, facts)
    known.delete(uid)
    known.set(uid, { from, objects })
    for (const [oldest] of known) if (known.size > most) known.delete(oldest)
    return objects
  }
}

const objectsOf = (suite: LegalSuite, facts: Facts) => [
  ...secretObjects(suite),
  ...desired(suite, facts).filter((each) => served(each, facts.apis)),
]

/** Objects of an API that the cluster does not have can't be asked for, let alone made. */
const served = ({ apiVersion }: KubeObject, apis: ReadonlySet<string>) =>
  !/^(postgresql\.cnpg\.io|monitoring\.coreos\.com|gateway\.networking)/.test(apiVersion) ||
  apis.has(apiVersion)
