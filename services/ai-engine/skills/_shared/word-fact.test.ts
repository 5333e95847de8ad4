import { expect, test } from 'vitest'
import type { CaseFile } from './case-file.ts'
import { joinFact, wordFact } from './word-fact.ts'

const wordAnswer = (question: string, input_type: string, value: unknown) => {
  const questions = [{ field_key: 'intake_collection.a', question, input_type }]
  const file = { fields: {}, cause: { elements: [{ questions }] } } as unknown as CaseFile
  return joinFact(wordFact({ key: 'intake.a', value } as never, file, 'zh'), 'zh')
}

test.each([
  ['您在工程中的身份是什么？', 'text', '实际施工人', '在工程中的身份：实际施工人'],
  ['合同签订或完工日期是哪一天？', 'date', '2024-10-20', '合同签订或完工日期：2024年10月20日'],
  ['尚欠工程款多少元？', 'money', 300_000, '尚欠工程款：300,000元'],
  ['拖欠总额大约多少元？', 'money', 9_000, '拖欠总额：9,000元'],
  ['已经支付了多少元？', 'money', 5, '已经支付：5元'],
  ['您与被继承人是什么关系？', 'text', '子女', '与被继承人的关系：子女'],
  ['对方主张的债务您是否知情或签字？', 'boolean', true, '对方主张的债务本人是否知情或签字：是'],
  ['何时到期？', 'date', '2024-05-01', '何时到期：2024年5月1日'],
  ['累计工作多少年？', 'number', 8, '累计工作多少年：8'],
  ['多少元？', 'money', 5, '多少元：5元'],
])('the answer to %s is worded as a fact', (question, input, value, worded) => {
  expect(wordAnswer(question, input, value)).toBe(worded)
})
