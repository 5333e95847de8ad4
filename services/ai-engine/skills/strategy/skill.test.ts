import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScriptedModel, scriptedModel } from '../../../../tests/support/scripted-model.ts'
import { seedCauseTools } from '../../../../tests/support/seed-causes.ts'
import { makeSkillThread } from '../../../../tests/support/skill.ts'
import { openAiComplete } from '../../model/openai.ts'
import issueSpotting from '../issue_spotting/skill.ts'
import riskAssessment from '../risk_assessment/skill.ts'
import sufficiency from '../sufficiency/skill.ts'
import skill from './skill.ts'

let server: ScriptedModel
beforeAll(async () => {
  server = await scriptedModel()
})
afterAll(() => server.close())

const files = {
  iou: {
    filename: '借条.txt',
    text: '借条\n今借到李四人民币100000元，2024年5月1日前归还。\n借款人：张三\n2023年5月1日',
  },
  transfer: {
    filename: '转账回单.txt',
    text: '电子回单\n2023年5月1日\n付款人：李四\n收款人：张三\n转账金额：100,000.00元',
  },
}
const story = '我在2023年5月1日借给张三10万元，只有转账没有借条，到期后他一直不还。'
const calculation = {
  calculations: [
    {
      calculator: 'limitation',
      title: { zh: '时效', en: 'Limitation' },
      inputs: {},
      result: { last_day: '2027-05-04' },
      steps: [],
      articles: [],
    },
    {
      calculator: 'court_fee',
      title: { zh: '诉讼费', en: 'Fee' },
      inputs: {},
      result: { low: 2_300, high: 2_300 },
      steps: [],
      articles: [],
    },
  ],
  claims: [{ name: '返还借款本金', amount: 100_000, source: 'loan_interest' }],
  skipped: [],
}
const intake = { cause_of_action_code: 'private_lending', client_role: 'claimant' }

/** Runs the skills of the analysis one after the other, as the graph does. */
async function analyze(
  fileIds: (keyof typeof files)[],
  { withModel = false, changes = {}, results = calculation as object, told = story } = {},
) {
  const options = {
    tools: seedCauseTools(files),
    state: { intake_collection: { ...intake, ...changes }, calculation: results },
    complete: withModel
      ? openAiComplete({ baseUrl: server.baseUrl, model: 'm', backoffMs: 1 })
      : undefined,
  }
  const rated = makeSkillThread('sufficiency', sufficiency, { ...options, complete: undefined })
  await rated.say(told, fileIds)
  const issues = makeSkillThread('issue_spotting', issueSpotting, {
    ...options,
    state: rated.state,
  })
  const spotted = await issues.rerun()
  const state = { ...rated.state, issue_spotting: issues.state.issue_spotting }
  const strategy = await makeSkillThread('strategy', skill, { ...options, state }).rerun()
  const risk = await makeSkillThread('risk_assessment', riskAssessment, {
    ...options,
    state,
  }).rerun()
  return { issues: spotted.output.issues, strategy: strategy.output, risk: risk.output }
}

test('required elements that are not proven are the issues, with both sides and the burden', async () => {
  const { issues } = await analyze([])
  expect(issues[0]).toMatchObject({ element_id: 'private_lending.agreement', burden: 'plaintiff' })
  expect(issues[0].respondent).toContainEqual(
    expect.objectContaining({ name: '转账系偿还旧债或其他款项', kind: 'denial' }),
  )
  expect(issues[0].legal_basis.length).toBeGreaterThan(0)
})

test('with proof of all required elements only objections of the other side are issues', async () => {
  const { issues } = await analyze(['iou', 'transfer'])
  for (const { respondent } of issues)
    expect(respondent.some(({ kind }: any) => kind === 'objection')).toBe(true)
})

test('without proof the strategy that secures it is recommended, with claims, cost and last day', async () => {
  const { strategy } = await analyze([])
  expect(strategy.strategies[0]).toMatchObject({
    name: '先催告补证',
    recommended: true,
    claims: calculation.claims,
    cost: { low: 2_300, high: 2_300 },
    last_day: '2027-05-04',
  })
  expect(strategy.strategies[0].expected_defences).toContain('转账系偿还旧债或其他款项')
})

test('a party that is claimed against gets the strategy of the defence', async () => {
  const { strategy } = await analyze([], { changes: { client_role: 'respondent' } })
  expect(strategy.strategies).toMatchObject([{ name: '应诉：还款与利率抗辩', claims: [] }])
})

test('the risk falls with proof, and shows the case from the other side', async () => {
  const without = (await analyze([])).risk
  const withProof = (await analyze(['iou', 'transfer'])).risk
  expect(without.score).toBeGreaterThan(withProof.score)
  expect(without.level).toBe('high')
  expect(without.other_side).toContainEqual(
    expect.objectContaining({ element_id: 'private_lending.agreement', strength: 'strong' }),
  )
  expect(without.factors).toContainEqual(expect.objectContaining({ name: '只有转账没有借条' }))
})

test('a limitation period that is over is the heaviest factor', async () => {
  const [limitation] = calculation.calculations
  const over = {
    ...calculation,
    calculations: [{ ...limitation, result: { last_day: '2020-01-01' } }],
  }
  const { risk } = await analyze(['iou', 'transfer'], { results: over })
  expect(risk.factors[0]).toMatchObject({ factor_id: 'limitation' })
  expect(risk.level).toBe('high')
})

test('a wording of the model with new figures or law is dropped', async () => {
  server.script({
    json: {
      texts: [
        { id: 'issue.private_lending.agreement', text: '双方是否达成借款合意？' },
        { id: 'issue.private_lending.delivery', text: '依《民法典》第一条，99万元是否交付？' },
        { id: 'unknown', text: 'x' },
      ],
    },
  })
  const { issues } = await analyze([], { withModel: true })
  const questions = issues.map(({ question }: any) => question)
  expect(questions).toContain('双方是否达成借款合意？')
  expect(questions.join()).not.toContain('99万元')
})

test.each(['claimant', 'respondent'])(
  'in English the %s gets the steps of the cause, in English and for their side',
  async (client_role) => {
    const told = 'I lent Zhang San 100,000 yuan on May 1, 2023 and he has not paid it back.'
    const { strategy } = await analyze([], { told, changes: { client_role } })
    const [best] = strategy.strategies
    expect(best.steps.length).toBeGreaterThan(2)
    expect(best.steps.join()).not.toMatch(/\p{Script=Han}/u)
    expect(best.steps[0]).toMatch(
      client_role === 'claimant' ? /^Demand payment/ : /^Obtain all repayment/,
    )
  },
)

test('a story of violence gets protection before an agreement', async () => {
  const told = '丈夫经常家暴打我，我想离婚并要孩子的抚养权。'
  const { strategy } = await analyze([], { told, changes: { cause_of_action_code: 'divorce' } })
  expect(strategy.strategies[0]).toMatchObject({ name: '家暴情形的紧急保护', recommended: true })
})
