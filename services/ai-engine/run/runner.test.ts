import { expect, test } from 'vitest'
import { stageEngine } from '../../../tests/support/engine.ts'
import { scriptedModel } from '../../../tests/support/scripted-model.ts'

const holdMs = 400

/** An engine with few slots and a model that responds after `holdMs`. */
async function stageSlots(maxRuns: number) {
  const model = await scriptedModel({ say: ['Done.'], waitMs: holdMs })
  const at = await stageEngine({
    env: { ENGINE_MAX_RUNS: String(maxRuns), AI_BASE_URL: model.baseUrl, AI_MODEL: 'scripted' },
  })
  const turn = (session_id: string) =>
    at.post('/agent/execute', {
      session_id,
      message: '什么是诉讼时效？',
      skill: 'chat',
      skill_only: true,
    })
  return { at, model, turn, close: () => Promise.all([at.close(), model.close()]) }
}

test('runs over ENGINE_MAX_RUNS wait for a slot and all complete', async () => {
  const { model, turn, close } = await stageSlots(2)
  const startedAt = performance.now()
  const answers = Array.from({ length: 6 }, (_, index) => turn(`slot-${index}`))
  await new Promise((resolve) => setTimeout(resolve, holdMs / 2))
  expect(model.requests.length).toBeLessThanOrEqual(2)
  for (const { data } of await Promise.all(answers))
    expect(data).toMatchObject({ status: 'completed', output: 'Done.' })
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(3 * holdMs)
  await close()
}, 120_000)

test('a lost run is recovered while new runs use all their slots', async () => {
  const { at, turn, close } = await stageSlots(2)
  const { data } = await turn('lost')
  await at.sql`
    update ai_engine.threads set status = 'running', next = 'chat_respond', seq = 100,
      lease_until = now() - interval '1 minute' where thread_id = ${data.thread_id}`
  await at.sql`update ai_engine.runs set status = 'running' where run_id = ${data.run_id}`
  let busy = true
  const load = Array.from({ length: 3 }, async (_, index) => {
    for (let n = 0; busy; n++) await turn(`busy-${index}-${n}`)
  })
  const status = async () => {
    await at.tick()
    const [run] = await at.sql`select status from ai_engine.runs where run_id = ${data.run_id}`
    return run!.status
  }
  await expect.poll(status, { timeout: 60_000, interval: 100 }).toBe('completed')
  busy = false
  await Promise.all(load)
  await close()
}, 120_000)
