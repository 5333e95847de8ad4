import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chartFolder, runHelm, withoutHelm } from '../../../packaging/chart/testing/helm.ts'
import { objectsIn } from '../objects.ts'
import { clusterClient, eventually } from '../support.ts'
import { versions } from './images.ts'
import { applyObjects, kubectl } from './kubectl.ts'
import { suiteNamespace } from './namespaces.ts'
import { namespaceObject } from './suite.ts'

const chart = chartFolder('legal-suite')
const wait = ['--wait', '--timeout', '15m']

describe.skipIf(withoutHelm)('the chart in a cluster', () => {
  const directory = mkdtempSync(join(tmpdir(), 'legal-suite-helm-'))
  const values = join(directory, 'values.json')
  const namespace = () => `${suiteNamespace()}-helm`
  const helm = (...args: string[]) =>
    runHelm('--kubeconfig', process.env.TEST_KUBECONFIG!, '--namespace', namespace(), ...args)
  const objects = async () => objectsIn(await clusterClient(), namespace())
  const readKey = async () => (await (await objects()).get('Secret', 'demo-internal-key')).data

  beforeAll(async () => {
    await applyObjects('default', [namespaceObject(namespace())])
    const storage = { size: '1Gi' }
    const spec = {
      image: 'legal-suite',
      environment: 'staging',
      database: { type: 'Embedded', embedded: { storage } },
      objectStorage: { type: 'Volume', volume: { storage } },
    }
    writeFileSync(values, JSON.stringify(spec))
  })
  afterAll(async () => {
    await kubectl(['delete', 'namespace', namespace(), '--ignore-not-found', '--wait=false'])
    rmSync(directory, { recursive: true, force: true })
  })

  const versionsOf = async () =>
    new Set(
      (await (await objects()).list('Deployment')).map(({ spec }) =>
        spec.template.spec.containers[0].image.replace(/.*:/, ''),
      ),
    )

  test('a release is installed, upgraded, rolled back and answers a consultation each time', async () => {
    const began = performance.now()
    helm('install', 'demo', chart, '--values', values, ...wait)
    console.log(`helm install: ${((performance.now() - began) / 1_000).toFixed(0)} s`)
    helm('test', 'demo')
    const key = await readKey()

    helm('upgrade', 'demo', chart, '--reuse-values', '--set', `version=${versions.next}`, ...wait)
    expect(await versionsOf()).toEqual(new Set([versions.next]))
    expect(await readKey()).toEqual(key)
    helm('test', 'demo')

    helm('rollback', 'demo', '1', ...wait)
    expect(await versionsOf()).toEqual(new Set([versions.current]))
    expect(await readKey()).toEqual(key)
    helm('test', 'demo')
  })

  test('an uninstalled release leaves its volumes, the password of the database and the key of checksums', async () => {
    helm('uninstall', 'demo', ...wait)
    const at = await objects()
    await eventually(async () => expect(await at.list('Pod')).toEqual([]), 300_000)
    expect(await at.list('Deployment')).toEqual([])
    const names = async (kind: string) => (await at.list(kind)).map(({ metadata }) => metadata.name)
    expect(await names('PersistentVolumeClaim')).toEqual(['demo-files', 'demo-postgres'])
    expect(await names('Secret')).toEqual(['demo-checksum-key', 'demo-postgres'])
  })
})
