import type { LegalSuite } from '../api/legal-suite.ts'
import { generated } from '../desired/generated.ts'
import type { ObjectId } from '../runtime/inventory.ts'
import { idOf, idText } from '../runtime/inventory.ts'
import type { KubeObject } from '../runtime/objects.ts'
import type { Secrets } from './secrets.ts'

/** What was found where no watch tells of changes, by whoever asked for it. */
export interface Recall {
  secrets?: Secrets
  find(id: ObjectId): KubeObject | undefined
  keep(object: KubeObject): void
}

type Live = (id: ObjectId) => KubeObject | undefined

/**
 * What one pass found is good for those that follow it closely, while a suite is rolled out: it is looked
 * at again when somebody changes the suite, or after so many milliseconds.
 */
export function makeRecall(maxAge: number) {
  const known = new Map<string, { asked: string; at: number; recall: Recall }>()

  return (suite: LegalSuite, live: Live): Recall => {
    const asked = askedBy(suite, live)
    const now = performance.now()
    const last = known.get(suite.metadata.uid)
    if (last?.asked === asked && now - last.at < maxAge) return last.recall
    for (const [uid, { at }] of known) if (now - at >= maxAge) known.delete(uid)
    const recall = empty()
    known.set(suite.metadata.uid, { asked, at: now, recall })
    return recall
  }
}

function empty(): Recall {
  const objects = new Map<string, KubeObject>()
  return {
    find: (id) => objects.get(idText(id)),
    keep: (object) => void objects.set(idText(idOf(object)), object),
  }
}

/** What somebody asks for: the suite as it was written, and the Secrets of ours as they are. */
function askedBy(suite: LegalSuite, live: Live): string {
  const { generation, labels, annotations, namespace } = suite.metadata
  const secrets = generated(suite).map(
    ({ name }) =>
      live({ group: '', version: 'v1', kind: 'Secret', namespace, name })?.metadata.resourceVersion,
  )
  return JSON.stringify([generation, labels, annotations, secrets])
}
