import { beforeAll, expect, test } from 'vitest'
import { serviceNames } from '../../../operator/api/service-table.ts'
import { runScript } from './client.ts'
import { suiteNamespace } from './namespaces.ts'
import { ensureSuite } from './suite.ts'

beforeAll(ensureSuite)

test('a pod of another namespace reaches the gateway and nothing else', async () => {
  const at = (name: string, port = 8080) => `demo-${name}.${suiteNamespace()}.svc:${port}`
  const closed = [
    ...serviceNames.filter((name) => name !== 'gateway').map((name) => at(name)),
    at('postgres', 5432),
    `legal-suite-operator.${suiteNamespace()}.svc:8080`,
  ]
  const outcomes = await runScript('connect.mjs', { targets: [at('gateway'), ...closed] })
  expect(outcomes[at('gateway')]).toBe('open')
  for (const target of closed) expect([target, outcomes[target]]).toEqual([target, 'timeout'])
})
