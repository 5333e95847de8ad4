import { expect, test } from 'vitest'
import type { Client } from '../runtime/client.ts'
import { clusterApi, makeApiDiscovery } from './apis.ts'

/** A client whose discovery gives these results for the CloudNativePG API, one per call. */
const clientOf = (results: boolean[]) =>
  ({
    serves: async ({ kind }: { kind: string }) => (kind === 'Cluster' ? results.shift() : false),
  }) as unknown as Client

async function discover(results: boolean[], confirmMs: number) {
  const apis = makeApiDiscovery(-1, confirmMs)
  const client = clientOf([...results])
  const served: boolean[] = []
  for (const _ of results) served.push((await apis(client)).has(clusterApi))
  return served
}

test('one failed discovery does not make a served API absent', async () => {
  expect(await discover([true, false, true], 60_000)).toEqual([true, true, true])
})

test('an API stays served until the confirmation period has passed', async () => {
  expect(await discover([true, false, false, false], 60_000)).toEqual([true, true, true, true])
})

test('an API is absent after a second discovery that confirms it', async () => {
  expect(await discover([true, false, false], 0)).toEqual([true, false, false])
})

test('an API that was never served is absent at once', async () => {
  expect(await discover([false], 60_000)).toEqual([false])
})
