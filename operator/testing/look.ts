import type { KubeObject } from '../runtime/objects.ts'

/** Ways to look at a list of objects in a test. */
export type Pod = {
  spec: Record<string, any>
  metadata: { labels: Record<string, string>; annotations: Record<string, string> }
}

export const find = (objects: KubeObject[], kind: string, name: string): any =>
  objects.find((each) => each.kind === kind && each.metadata.name === name)

export const namesOf = (objects: KubeObject[], kind: string) =>
  objects.filter((each) => each.kind === kind).map(({ metadata }) => metadata.name)

/** The pods that an object makes, if it makes any. */
export const podOf = (object: KubeObject): Pod | undefined =>
  ['Deployment', 'StatefulSet', 'Job'].includes(object.kind)
    ? (object as any).spec.template
    : undefined

export const containersOf = ({ spec }: Pod): any[] => [
  ...(spec.initContainers ?? []),
  ...spec.containers,
]

/** The variables of a service, those from a secret as `secret:name/key`. */
export function variablesOf(objects: KubeObject[], name: string): Record<string, string> {
  const { env } = find(objects, 'Deployment', name).spec.template.spec.containers[0]
  return Object.fromEntries(
    env.map((each: any) => [
      each.name,
      each.valueFrom
        ? `secret:${each.valueFrom.secretKeyRef.name}/${each.valueFrom.secretKeyRef.key}`
        : each.value,
    ]),
  )
}
