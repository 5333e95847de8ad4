import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseAllDocuments } from 'yaml'
import type { Client } from '../../operator/runtime/client.ts'
import type { KubeObject, Resource } from '../../operator/runtime/objects.ts'
import { eventually } from './support.ts'

const root = resolve(import.meta.dirname, '../..')

/** Reads the objects of a manifest in this repository. */
export const manifest = (file: string): KubeObject[] =>
  parseAllDocuments(readFileSync(resolve(root, file), 'utf8')).map((each) => each.toJS())

export const definitionResource: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
}

/** A permissive stand-in for the CRD of another project. */
const standIn = (group: string, kind: string, plural: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: `${plural}.${group}`,
    // CRDs in protected groups need this approval annotation.
    annotations: { 'api-approved.kubernetes.io': 'unapproved, a stand-in for tests' },
  },
  spec: {
    group,
    scope: 'Namespaced',
    names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
})

const others = [
  standIn('monitoring.coreos.com', 'ServiceMonitor', 'servicemonitors'),
  standIn('gateway.networking.k8s.io', 'HTTPRoute', 'httproutes'),
  standIn('postgresql.cnpg.io', 'Cluster', 'clusters'),
]

type Definition = KubeObject & { status?: { conditions?: { type: string; status: string }[] } }

/** Installs the CRDs of the operator, and stand-ins for the optional APIs. */
export async function installDefinitions(client: Client) {
  const ownDefinitions = [
    ...manifest('crds/legalsuites.yaml'),
    ...manifest('crds/seedpackageapplies.yaml'),
  ]
  for (const object of [...ownDefinitions, ...others] as KubeObject[]) {
    await client.apply(definitionResource, object, { fieldManager: 'tests', force: true })
    await eventually(async () => {
      const { name } = object.metadata
      const { status } = (await client.get<Definition>(definitionResource, { name }))!
      const established = status?.conditions?.find(({ type }) => type === 'Established')
      if (established?.status !== 'True') throw new Error(`${name} is not established`)
    })
  }
}
