import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../operator/runtime/client.ts'
import { setUp } from './operator.ts'
import { clusterClient, eventually } from './support.ts'

describe('lifecycle of a suite in a cluster', () => {
  let client: Client
  beforeAll(async () => {
    client = await clusterClient()
  })

  test('a suite pauses, hibernates and resumes', async () => {
    const at = await setUp(client)
    await at.suite({ services: { matter: { autoscaling: { maxReplicas: 3 } } } })
    await at.settled()
    await at.patch('LegalSuite', 'demo', { spec: { paused: true, version: '9.9.9' } })
    const phase = async () => (await at.get('LegalSuite', 'demo')).status.phase
    await eventually(async () => expect(await phase()).toBe('Paused'))
    await at.patch('Deployment', 'demo-memory', { metadata: { annotations: { mine: 'yes' } } })
    const image = async (name: string) =>
      (await at.get('Deployment', name)).spec.template.spec.containers[0].image
    expect(await image('demo-memory')).toBe('legal-suite:1.2.3')

    await at.patch('LegalSuite', 'demo', { spec: { paused: false, hibernated: true } })
    await eventually(async () => expect(await phase()).toBe('Hibernated'))
    await eventually(async () => {
      const pods = await at.list('Pod')
      expect(pods.filter(({ status }) => status.phase === 'Running')).toEqual([])
    })
    await at.patch('LegalSuite', 'demo', { spec: { hibernated: false } })
    const { status } = await at.settled()
    expect(status).toMatchObject({ phase: 'Ready', version: '9.9.9', ready: '8/8' })
    expect((await at.get('Deployment', 'demo-matter')).spec.replicas).toBeGreaterThanOrEqual(2)
  })

  test('a failing migration stops the rollout, and a fixed version continues', async () => {
    const at = await setUp(client)
    await at.suite()
    await at.settled()
    const generations = async () =>
      (await at.list('Deployment')).map(({ metadata }) => metadata.generation)
    const before = await generations()
    await at.patch('LegalSuite', 'demo', { spec: { version: 'bad-1' } })
    await eventually(async () => {
      const { status } = await at.get('LegalSuite', 'demo')
      expect(status.phase).toBe('Stalled')
      expect(status.conditions).toContainEqual(
        expect.objectContaining({ reason: 'MigrationFailed' }),
      )
    })
    expect(await generations()).toEqual(before)
    await at.patch('LegalSuite', 'demo', { spec: { version: '1.2.4' } })
    expect((await at.settled()).status).toMatchObject({ version: '1.2.4', phase: 'Ready' })
  })

  test('a deleted suite deletes all objects except data', async () => {
    const at = await setUp(client)
    await at.suite({ database: { type: 'Embedded' } })
    const before = await at.settled()
    await at.remove('LegalSuite', 'demo')
    await eventually(async () => {
      expect(await at.list('Deployment')).toEqual([])
      expect(await at.list('NetworkPolicy')).toEqual([])
      expect((await at.list('Secret')).map(({ metadata }) => metadata.name)).not.toContain(
        'demo-internal-key',
      )
    })
    const volumes = (await at.list('PersistentVolumeClaim')).map(({ metadata }) => metadata.name)
    expect(volumes).toEqual(['demo-files', 'demo-postgres'])
    const password = (await at.get('Secret', 'demo-postgres')).data

    await at.suite({ database: { type: 'Embedded' }, deletionPolicy: 'Delete' })
    const after = await at.settled()
    expect(after.metadata.uid).not.toBe(before.metadata.uid)
    expect((await at.get('Secret', 'demo-postgres')).data).toEqual(password)
    await at.remove('LegalSuite', 'demo')
    await eventually(async () => {
      const left = await at.list('PersistentVolumeClaim')
      expect(left.filter(({ metadata }) => !metadata.deletionTimestamp)).toEqual([])
      expect(await at.get('Secret', 'demo-postgres')).toBeUndefined()
    })
  })
})
