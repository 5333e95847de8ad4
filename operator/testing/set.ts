import { afterEach, expect, vi } from 'vitest'
import { type Stage, type StageOptions, stage } from './stage.ts'

export { condition, type Stage as Staged } from './stage.ts'

const open: Stage[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.stop()))
})

/** A stage that is struck when the test is over. */
export function set(options: StageOptions = {}) {
  const at = stage(options)
  open.push(at)
  return at
}

export const until = (look: () => unknown) => vi.waitFor(look, { timeout: 30_000, interval: 10 })

/** Its pods get ready, and the suite says so of its newest form. */
export const settled = (at: Stage) =>
  until(async () => {
    await at.settle()
    const { status, metadata } = at.get('LegalSuite', 'demo')
    expect(status?.observedGeneration).toBe(metadata.generation)
    expect(at.ready()?.status).toBe('True')
  })

/** A suite that is rolled out. */
export async function rolledOut(spec = {}, options: StageOptions = {}) {
  const at = set(options)
  await at.secret('db', { url: 'postgres://x' })
  await at.suite(spec)
  await settled(at)
  return at
}

/** Time enough for a change that must not come. */
export const aWhile = () => new Promise((resolve) => setTimeout(resolve, 300))

export const names = (at: Stage, kind: string): string[] =>
  at.list(kind).map(({ metadata }) => metadata.name)
