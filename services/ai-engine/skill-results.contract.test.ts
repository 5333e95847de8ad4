import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { answersTo, type EngineStage, stageEngine, story } from '../../tests/support/engine.ts'
import { makePeer } from '../../tests/support/matter.ts'
import { respondWithFile, seedResponses, type TestFiles } from '../../tests/support/seed-causes.ts'

const files: TestFiles = {
  'f-1': {
    filename: '借条.txt',
    text: '借条\n今借到李四人民币100000元，于2024年5月1日前归还。\n借款人：张三\n2023年5月1日',
  },
}
let at: EngineStage
beforeAll(async () => {
  const knowledge = seedResponses()
  at = await stageEngine({
    peers: {
      'knowledge-service': makePeer(({ path, body }) => knowledge(path, body)).peer,
      'files-service': makePeer(({ path }) => respondWithFile(files, path)).peer,
    },
  })
})
afterAll(() => at.close())

const executeSkill = async (name: string) => {
  const { data } = await at.post(`/skills/${name}/execute`, {
    user_id: 1,
    message: story,
    file_ids: ['f-1'],
  })
  expect(data.status).toBe('completed')
  return data.result
}

const Text = z.string().min(1)
const Candidates = z.object({
  candidates: z
    .array(
      z.object({
        code: Text,
        name: Text,
        score: z.number().min(0).max(1),
        reasons: z.array(z.object({ quote: Text, why: Text })).min(1),
      }),
    )
    .min(1),
  confident: z.boolean(),
})
const Evidence = z.object({
  items: z
    .array(
      z.object({
        file_id: z.literal('f-1'),
        kind: z.literal('iou'),
        proves: Text,
        element_ids: z.array(z.string().startsWith('private_lending.')).min(3),
        weaknesses: z.array(z.string()).length(0),
        quotes: z.array(z.object({ text: Text, page: z.int().optional() })).min(1),
      }),
    )
    .length(1),
})
const Sufficiency = z.object({
  elements: z
    .array(
      z.object({
        element_id: z.string().startsWith('private_lending.'),
        status: z.enum(['proven', 'weak', 'missing']),
        burden: z.enum(['plaintiff', 'defendant']),
        evidence: z.array(Text),
        gap: z.string(),
      }),
    )
    .length(7),
})

test.each([
  ['cause_of_action', Candidates],
  ['evidence_analysis', Evidence],
  ['sufficiency', Sufficiency],
])('the result of %s executed alone is that of the skill', async (name, schema) => {
  const parsed = schema.safeParse(await executeSkill(name))
  expect(parsed.error?.issues ?? []).toEqual([])
})

/** Answers cards until the run completes. */
async function converse(thread_id: string, body: object) {
  let { data } = await at.post('/agent/execute', { thread_id, user_id: 1, ...body })
  for (let cards = 0; data.status === 'interrupted' && cards < 10; cards++)
    data = (await at.post('/agent/resume', { thread_id, user_response: answersTo(data.card) })).data
  expect(data.status).toBe('completed')
  return (await at.get(`/agent/threads/${thread_id}/state`)).data.state
}

test('after the intake the case is analyzed, and a new file makes the analysis run again', async () => {
  const analysis = [
    ...['cause_of_action', 'evidence_analysis', 'sufficiency', 'issue_spotting', 'legal_research'],
    ...['calculation', 'strategy', 'risk_assessment'],
  ]
  const first = await converse('case-1', { message: story })
  for (const skill of analysis) expect(first.work).toMatchObject({ [skill]: 'done' })
  expect(first.legal_research.unresolved).toEqual([])
  const statusOf = (state: any) =>
    state.sufficiency.elements.find(
      ({ element_id }: any) => element_id === 'private_lending.agreement',
    ).status
  expect(statusOf(first)).toBe('weak')
  const second = await converse('case-1', { message: '这是借条', file_ids: ['f-1'] })
  expect(statusOf(second)).toBe('proven')
})
