import { beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../support.ts'
import { applyObjects, kubectl } from './kubectl.ts'
import { suiteNamespace } from './namespaces.ts'
import {
  editSuite,
  ensureSuite,
  expectStatus,
  suiteObjects,
  suiteSpec,
  waitUntilReady,
} from './suite.ts'

const packageIds = ['knowledge_system_resources', 'knowledge_lay_words']

const applySeeds = (name: string, spec: object) =>
  applyObjects(suiteNamespace(), [
    {
      apiVersion: 'legalsuite.dev/v1alpha1',
      kind: 'SeedPackageApply',
      metadata: { name },
      spec: { suiteRef: { name: 'demo' }, packageIds, ...spec },
    },
  ])

async function waitUntilFinished(name: string) {
  const at = await suiteObjects()
  return eventually(async () => {
    const { status } = await at.get('SeedPackageApply', name)
    expect(status?.phase).toMatch(/^(Succeeded|Failed)$/)
    return status
  }, 600_000)
}

/** Warnings of the kubelet about failed probes, since a time. */
async function listProbeFailures(app: string, since: string): Promise<string[]> {
  const output = await kubectl([
    ...['--namespace', suiteNamespace(), 'get', 'events', '--output', 'json'],
    ...['--field-selector', 'reason=Unhealthy'],
  ])
  return JSON.parse(output)
    .items.filter(
      ({ involvedObject, lastTimestamp }: any) =>
        involvedObject.name.startsWith(`demo-${app}-`) && lastTimestamp >= since,
    )
    .map(({ message }: any) => message)
}

describe('seed packages in a cluster', () => {
  beforeAll(ensureSuite)

  test('a planned apply imports what the plan says, and no probe of knowledge-service fails', async () => {
    const since = new Date().toISOString()
    await applySeeds('plan', { dryRun: true })
    const plan = await waitUntilFinished('plan')
    expect(plan).toMatchObject({ phase: 'Succeeded', planHash: expect.any(String) })
    await applySeeds('apply', { expectPlanHash: plan.planHash })
    expect(await waitUntilFinished('apply')).toMatchObject({ phase: 'Succeeded' })
    expect(await listProbeFailures('knowledge', since)).toEqual([])
  })

  test('the same plan again is refused as moved', async () => {
    const { planHash } = await waitUntilFinished('plan')
    await applySeeds('apply-again', { expectPlanHash: planHash })
    expect(await waitUntilFinished('apply-again')).toMatchObject({ phase: 'Failed' })
  })

  test('a failing startup seed is named in the status, and its removal makes the suite Ready', async () => {
    await editSuite({ seeds: { packageIds: ['no_such_package'] } })
    await expectStatus({
      conditions: expect.arrayContaining([
        expect.objectContaining({
          type: 'Ready',
          status: 'False',
          message: expect.stringContaining('no_such_package'),
        }),
      ]),
    })
    await editSuite({ seeds: suiteSpec().seeds })
    expect((await waitUntilReady()).status).toMatchObject({ phase: 'Ready' })
  })
})
