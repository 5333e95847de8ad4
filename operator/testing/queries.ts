import type { KubeObject } from '../runtime/objects.ts'

export type Pod = {
  spec: Record<string, any>
  metadata: { labels: Record<string, string>; annotations: Record<string, string> }
}

export const find = (objects: KubeObject[], kind: string, name: string): any =>
  objects.find((each) => each.kind === kind && each.metadata.name === name)

export const listNames = (objects: KubeObject[], kind: string) =>
  objects.filter((each) => each.kind === kind).map(({ metadata }) => metadata.name)

/** Returns the pod template of a workload. */
export const podTemplate = (object: KubeObject): Pod | undefined =>
  ['Deployment', 'StatefulSet', 'Job'].includes(object.kind)
    ? (object as any).spec.template
    : undefined

export const allContainers = ({ spec }: Pod): any[] => [
  ...(spec.initContainers ?? []),
  ...spec.containers,
]

/** Environment variables of a service. Secret references are shown as `secret:name/key`. */
export function containerVariables(objects: KubeObject[], name: string): Record<string, string> {
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
