import { afterEach, expect, vi } from 'vitest'
import { type Harness, type HarnessOptions, makeHarness } from './harness.ts'

export { condition, type Harness as Staged } from './harness.ts'

const open: Harness[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.stop()))
})

/** Starts an operator that is stopped after the test. */
export function startOperator(options: HarnessOptions = {}) {
  const harness = makeHarness(options)
  open.push(harness)
  return harness
}

export const eventually = (assertion: () => unknown) =>
  vi.waitFor(assertion, { timeout: 30_000, interval: 10 })

/** Marks workloads as ready until the suite reports Ready for its current generation. */
export const waitUntilReady = (harness: Harness) =>
  eventually(async () => {
    await harness.settle()
    const { status, metadata } = harness.get('LegalSuite', 'demo')
    expect(status?.observedGeneration).toBe(metadata.generation)
    expect(harness.ready()?.status).toBe('True')
  })

/** Starts an operator with one suite that is rolled out. */
export async function startReadySuite(
  spec = {},
  { secrets = {}, ...options }: HarnessOptions & { secrets?: Record<string, object> } = {},
) {
  const harness = startOperator(options)
  for (const [name, data] of Object.entries(secrets))
    await harness.secret(name, data as Record<string, string>)
  await harness.secret('db', { url: 'postgres://x' })
  await harness.suite(spec)
  await waitUntilReady(harness)
  return harness
}

/** Waits long enough to detect an unwanted change. */
export const settleDelay = () => new Promise((resolve) => setTimeout(resolve, 300))

export const names = (harness: Harness, kind: string): string[] =>
  harness.list(kind).map(({ metadata }) => metadata.name)
