import { describe, expect, test } from 'vitest'
import {
  condition,
  eventually,
  names,
  settleDelay,
  startOperator,
  startReadySuite,
  waitUntilReady,
} from '../testing/fixtures.ts'

describe('new suite', () => {
  test('a rollout waits for the database Secret', async () => {
    const at = startOperator()
    await at.suite()
    await eventually(() =>
      expect(at.ready()).toMatchObject({ status: 'False', reason: 'SecretNotFound' }),
    )
    expect(at.ready()!.message).toContain('db/url')
    expect(names(at, 'Job')).toEqual([])
    expect(names(at, 'Service')).toHaveLength(8)
    await at.secret('db', { url: 'postgres://x' })
    await at.patch('LegalSuite', 'demo', { metadata: { annotations: { touched: 'yes' } } })
    await eventually(() => expect(names(at, 'Job')).toHaveLength(1))
  })

  test('a new suite migrates first, then rolls out wave by wave', async () => {
    const at = startOperator()
    await at.secret('db', { url: 'postgres://x' })
    await at.suite()
    const seen: string[][] = []
    await eventually(() => expect(names(at, 'Job')).toHaveLength(1))
    expect(names(at, 'Deployment')).toEqual([])
    expect(at.get('LegalSuite', 'demo').status.phase).toBe('Migrating')
    await eventually(async () => {
      const there = names(at, 'Deployment').sort()
      if (there.length > (seen.at(-1)?.length ?? 0)) seen.push(there)
      await at.settle()
      expect(at.ready()?.status).toBe('True')
    })
    const waves = seen.map((list) => list.map((name) => name.slice('demo-'.length)))
    expect(waves[0]).toEqual(['files', 'memory', 'platform'])
    expect(waves[1]).toEqual(['files', 'knowledge', 'matter', 'memory', 'platform'])
    expect(waves[2]).toContain('ai-engine')
    expect(waves.at(-1)).toHaveLength(8)
    const { status } = at.get('LegalSuite', 'demo')
    expect(status).toMatchObject({ phase: 'Ready', version: '1.2.3', ready: '8/8' })
    expect(status.observedGeneration).toBe(1)
    expect(status.history).toHaveLength(1)
  })

  test('the internal key is generated once; status has its id, not its value', async () => {
    const at = await startReadySuite()
    const { data } = at.get('Secret', 'demo-internal-key')
    const { internalKey } = at.get('LegalSuite', 'demo').status
    const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(atob(data.current)))
    expect(internalKey).toEqual({
      secretName: 'demo-internal-key',
      id: Buffer.from(hash).toString('hex').slice(0, 12),
    })
    expect(JSON.stringify(at.get('LegalSuite', 'demo'))).not.toContain(atob(data.current))
    await at.patch('LegalSuite', 'demo', { spec: { environment: 'dev' } })
    await waitUntilReady(at)
    expect(at.get('Secret', 'demo-internal-key').data).toEqual(data)
  })
})

describe('ready suite', () => {
  test('an unchanged suite causes no writes', async () => {
    const at = await startReadySuite()
    await settleDelay()
    const writes = at.api.writes()
    await at.patch('LegalSuite', 'demo', { metadata: { annotations: { touched: 'yes' } } })
    await settleDelay()
    expect(at.api.writes()).toBe(writes + 1)
  })

  test('drift and deleted objects are corrected', async () => {
    const at = await startReadySuite()
    await at.patch('Deployment', 'demo-memory', { spec: { replicas: 7 } })
    await eventually(() => expect(at.get('Deployment', 'demo-memory').spec.replicas).toBe(1))
    await at.remove('NetworkPolicy', 'demo-allow-services')
    await eventually(() => expect(names(at, 'NetworkPolicy')).toContain('demo-allow-services'))
  })

  test('obsolete objects are pruned, others are kept', async () => {
    const at = await startReadySuite({ services: { matter: { autoscaling: { maxReplicas: 3 } } } })
    expect(names(at, 'HorizontalPodAutoscaler')).toEqual(['demo-matter'])
    await at.patch('LegalSuite', 'demo', { spec: { services: { matter: { autoscaling: null } } } })
    await eventually(() => expect(names(at, 'HorizontalPodAutoscaler')).toEqual([]))
    const { inventory } = at.get('LegalSuite', 'demo').status
    expect(inventory).not.toContainEqual(
      expect.objectContaining({ kind: 'HorizontalPodAutoscaler' }),
    )
    expect(names(at, 'Deployment')).toHaveLength(8)
  })

  test('a new autoscaler starts with the current replica count', async () => {
    const at = await startReadySuite({ services: { matter: { replicas: 5 } } })
    await at.patch('LegalSuite', 'demo', {
      spec: { services: { matter: { replicas: null, autoscaling: { maxReplicas: 9 } } } },
    })
    await eventually(() => expect(names(at, 'HorizontalPodAutoscaler')).toEqual(['demo-matter']))
    expect(at.get('Deployment', 'demo-matter').spec.replicas).toBe(5)
  })

  test('a changed Secret restarts only the services that reference it, once', async () => {
    const ai = {
      model: {
        baseUrl: 'https://m.example.com',
        model: 'm',
        apiKeySecretRef: { name: 'model', key: 'k' },
      },
    }
    const at = startOperator()
    await at.secret('model', { k: 'first' })
    await at.secret('db', { url: 'postgres://x' })
    await at.suite({ ai })
    await waitUntilReady(at)
    const generations = () =>
      Object.fromEntries(
        at.list('Deployment').map((each) => [each.metadata.name, each.metadata.generation]),
      )
    const before = generations()
    await at.patch('Secret', 'model', { data: { k: btoa('second') } })
    await at.patch('LegalSuite', 'demo', { metadata: { annotations: { touched: 'yes' } } })
    await eventually(() =>
      expect(generations()['demo-ai-engine']).toBe(before['demo-ai-engine'] + 1),
    )
    await waitUntilReady(at)
    expect(generations()).toEqual({ ...before, 'demo-ai-engine': before['demo-ai-engine'] + 1 })
    const reasons = (await at.events()).map(({ reason }) => reason)
    expect(reasons.filter((reason) => reason === 'SecretChanged')).toHaveLength(1)
  })
})

describe('new version', () => {
  const next = { spec: { version: '2.0.0' } }

  test('a new version is migrated, rolled out in order and explained by Events', async () => {
    const at = await startReadySuite()
    const [old] = names(at, 'Job')
    await at.patch('LegalSuite', 'demo', next)
    await eventually(() => expect(names(at, 'Job').filter((name) => name !== old)).toHaveLength(1))
    const image = (name: string) =>
      at.get('Deployment', `demo-${name}`).spec.template.spec.containers[0].image
    expect(image('memory')).toBe('legal-suite:1.2.3')
    await waitUntilReady(at)
    expect(image('collector')).toBe('legal-suite:2.0.0')
    expect(names(at, 'Job')).not.toContain(old)
    expect(at.get('LegalSuite', 'demo').status).toMatchObject({ version: '2.0.0', phase: 'Ready' })
    const notes = (await at.events()).filter(({ reason }) => reason === 'ImageChanged')
    const messages = notes.map(({ note }) => note)
    expect(messages).toContain('demo-ai-engine: legal-suite:1.2.3 → legal-suite:2.0.0')
    expect(messages).toContainEqual(expect.stringMatching(/^demo-matter, demo-knowledge: /))
  })

  test('a failing version stops at the first wave and is reported', async () => {
    const at = await startReadySuite()
    await at.patch('LegalSuite', 'demo', next)
    await eventually(async () => {
      await at.settle(/migrate/)
      expect(at.get('Deployment', 'demo-memory').metadata.generation).toBe(2)
    })
    const { generation } = at.get('Deployment', 'demo-memory').metadata
    const stuck = {
      type: 'Progressing',
      status: 'False',
      reason: 'ProgressDeadlineExceeded',
      message: 'timed out',
    }
    await at.patch(
      'Deployment',
      'demo-memory',
      {
        status: {
          observedGeneration: generation,
          availableReplicas: 1,
          updatedReplicas: 0,
          conditions: [stuck],
        },
      },
      'status',
    )
    await at.settle(/platform|files/)
    await eventually(() =>
      expect(at.ready()).toMatchObject({ status: 'False', reason: 'RolloutFailed' }),
    )
    const suite = at.get('LegalSuite', 'demo')
    expect(condition(suite, 'Stalled')?.status).toBe('True')
    expect(suite.status.phase).toBe('Stalled')
    expect(suite.status.services).toContainEqual(
      expect.objectContaining({ name: 'memory', ready: false, message: 'timed out' }),
    )
    for (const name of ['knowledge', 'matter', 'ai-engine', 'collector'])
      expect(at.get('Deployment', `demo-${name}`).metadata.generation).toBe(1)
    expect((await at.events()).map(({ reason }) => reason)).toContain('RolloutFailed')
  })

  test('a version with a failed migration is not rolled out', async () => {
    const at = await startReadySuite()
    const [old] = names(at, 'Job')
    await at.patch('LegalSuite', 'demo', next)
    await eventually(() => expect(names(at, 'Job')).toHaveLength(2))
    const job = names(at, 'Job').find((name) => name !== old)!
    await at.patch(
      'Job',
      job,
      { status: { conditions: [{ type: 'Failed', status: 'True' }] } },
      'status',
    )
    await eventually(() => expect(at.ready()).toMatchObject({ reason: 'MigrationFailed' }))
    for (const { metadata } of at.list('Deployment')) expect(metadata.generation).toBe(1)
  })
})
