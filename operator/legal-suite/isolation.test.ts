import { describe, expect, test } from 'vitest'
import { silent } from '../../services/_kit/log.ts'
import { makeMetrics } from '../../services/_kit/metrics.ts'
import { makeOperator } from '../operator.ts'
import { makeClient } from '../runtime/client.ts'
import { getResource } from '../runtime/resources.ts'
import { makeFakeApi } from '../runtime/testing/fake-api.ts'
import { condition, eventually, startOperator, startReadySuite } from '../testing/fixtures.ts'
import { buildSuite } from '../testing/suites.ts'

const suites = getResource('legalsuite.dev/v1alpha1', 'LegalSuite')

describe('failures outside apply', () => {
  test('a namespace that may not be read does not hold back another one', async () => {
    const api = makeFakeApi()
    const client = makeClient({ transport: api.transport })
    api.faults.push(({ namespace, verb }) =>
      namespace === 'closed' && verb === 'list' ? { status: 403 } : undefined,
    )
    const stop = new AbortController()
    const operator = makeOperator({
      client,
      log: silent,
      metrics: makeMetrics(),
      namespaces: ['closed', 'legal'],
      operatorNamespace: 'operators',
      collectorAddress: 'http://127.0.0.1:1',
    })
    const running = operator.run(stop.signal)
    const { apiVersion, kind, metadata, spec } = buildSuite()
    const { name, namespace } = metadata
    await client.create(suites, { apiVersion, kind, metadata: { name, namespace }, spec } as any)
    await eventually(async () => {
      const live: any = await client.get(suites, { namespace, name })
      expect(condition(live, 'Ready')).toMatchObject({ reason: 'SecretNotFound' })
    })
    stop.abort()
    await running
  })

  test('Secrets that may not be read are named in status and in an Event', async () => {
    const at = startOperator()
    at.api.faults.push(({ collection, verb }) =>
      collection === '/secrets' && verb === 'get' ? { status: 403 } : undefined,
    )
    await at.suite()
    await eventually(() => expect(at.ready()).toMatchObject({ reason: 'Forbidden' }))
    expect(at.ready()!.message).toContain('secrets')
    await eventually(async () =>
      expect((await at.events()).map(({ reason }) => reason)).toContain('Forbidden'),
    )
  })

  test('a foreign object that is no longer wanted does not stall the suite', async () => {
    const gateway = {
      host: 'a.example.com',
      ingress: {},
      oidc: { issuer: 'https://b.example.com', audience: 'c', clientId: 'legal' },
    }
    const at = await startReadySuite()
    const metadata = { name: 'demo-gateway', namespace: 'legal' }
    await at.create({ apiVersion: 'v1', kind: 'Service', metadata })
    await at.patch('LegalSuite', 'demo', { spec: { gateway } })
    await eventually(() => expect(at.ready()).toMatchObject({ reason: 'ForeignObject' }))
    await at.patch('LegalSuite', 'demo', { spec: { gateway: null } })
    await eventually(async () => {
      await at.settle()
      expect(at.ready()).toMatchObject({ status: 'True' })
    })
    expect(at.get('Service', 'demo-gateway')).toBeDefined()
  })
})
