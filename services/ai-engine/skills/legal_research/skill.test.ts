import { expect, test } from 'vitest'
import { seedCauseTools } from '../../../../tests/support/seed-causes.ts'
import { makeSkillThread } from '../../../../tests/support/skill.ts'
import skill from './skill.ts'

const story = '我在2023年5月1日借给张三10万元，约定一年后归还，到期后他一直不还。'
const content =
  '第六百七十五条 借款人应当按照约定的期限返还借款。对借款期限没有约定的，可以随时返还。'

/** Tools of which the verification finds every article but one, and compares quotes. */
function makeTools(requests: any[] = []) {
  return {
    ...seedCauseTools(),
    verify_citations: async (input: any) => {
      requests.push(input)
      return {
        citations: input.citations.map(({ law, article, quote }: any) => ({
          ...{ law, article, found: article !== '第二条', in_force: article !== '第九条' },
          quote_matches: article !== '第六百六十八条' && quote !== undefined,
        })),
      }
    },
    research_law: async (input: any) => {
      requests.push(input)
      const hit = { document_id: 'd', title: '民法典', law: '民法典', section_id: '第六百七十五条' }
      return { passages: [{ ...hit, content }] }
    },
  }
}
const research = async (intake_collection: object, requests: any[] = []) => {
  const thread = makeSkillThread('legal_research', skill, {
    tools: makeTools(requests),
    state: { intake_collection },
  })
  return (await thread.say(story)).output
}
const intake = {
  cause_of_action_code: 'private_lending',
  event_date: '2023-05-01',
  private_lending: { delivery_method: 'bank_transfer' },
}

test('citations that verify are kept with their elements, others are unresolved with the reason', async () => {
  const { citations, unresolved } = await research(intake)
  expect(citations).toContainEqual(
    expect.objectContaining({
      law: '民法典',
      article: '第六百六十七条',
      quote: expect.stringContaining('借款合同是借款人'),
      element_ids: expect.arrayContaining(['private_lending.agreement']),
    }),
  )
  const reasons = Object.fromEntries(unresolved.map((each: any) => [each.article, each.reason]))
  expect(reasons).toMatchObject({
    第二条: 'not_found',
    第九条: 'not_in_force',
    第六百六十八条: 'quote_differs',
  })
  const articles = citations.map(({ article }: any) => article)
  for (const article of Object.keys(reasons)) expect(articles).not.toContain(article)
})

test('passages are quoted to the letter', async () => {
  const { passages } = await research(intake)
  expect(passages).toHaveLength(1)
  expect(content).toContain(passages[0].quote)
})

test.each([
  ['the day of the run', '2023-05-01', '2026-06-15'],
  ['the last day of facts that lie before the Civil Code', '2018-05-01', '2018-05-01'],
])('the law is that of %s', async (_, event_date, as_of) => {
  const requests: any[] = []
  const output = await research({ ...intake, event_date }, requests)
  expect(output.as_of).toBe(as_of)
  for (const request of requests) expect(request.as_of).toBe(as_of)
})

test('the law of a lasting relation is that of the day of the run', async () => {
  const { as_of } = await research({ cause_of_action_code: 'divorce', event_date: '2015-05-20' })
  expect(as_of).toBe('2026-06-15')
})

test('without knowledge-service nothing is cited', async () => {
  const { load_cause, recognize_cause } = seedCauseTools()
  const tools = { load_cause: load_cause!, recognize_cause: recognize_cause! }
  const thread = makeSkillThread('legal_research', skill, {
    tools,
    state: { intake_collection: intake },
  })
  const { output } = await thread.say(story)
  expect(output).toMatchObject({ citations: [], passages: [] })
  expect(output.unresolved[0].reason).toBe('not_verified')
})
