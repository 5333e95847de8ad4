import type { Article } from './calculator.ts'

const titles = {
  civilCode: '中华人民共和国民法典',
  temporalScope: '最高人民法院关于适用《中华人民共和国民法典》时间效力的若干规定',
  civilProcedure: '中华人民共和国民事诉讼法',
  privateLending: '最高人民法院关于审理民间借贷案件适用法律若干问题的规定',
  sales: '最高人民法院关于审理买卖合同纠纷案件适用法律问题的解释',
  laborContract: '中华人民共和国劳动合同法',
  laborContractRules: '中华人民共和国劳动合同法实施条例',
  laborInterpretation2: '最高人民法院关于审理劳动争议案件适用法律问题的解释（二）',
  labor: '中华人民共和国劳动法',
  annualLeave: '职工带薪年休假条例',
  workInjury: '工伤保险条例',
  injury: '最高人民法院关于审理人身损害赔偿案件适用法律若干问题的解释',
  traffic: '中华人民共和国道路交通安全法',
  family: '最高人民法院关于适用《中华人民共和国民法典》婚姻家庭编的解释（一）',
  fees: '诉讼费用交纳办法',
  delayedInterest: '最高人民法院关于执行程序中计算迟延履行期间的债务利息适用法律若干问题的解释',
  arbitration: '中华人民共和国劳动争议调解仲裁法',
  workingHours: '国务院关于职工工作时间的规定',
} as const

/** Laws that the Civil Code replaced. They govern what happened before it. */
export const formerTitles = {
  civilPrinciples: '中华人民共和国民法通则',
  civilRules: '中华人民共和国民法总则',
  contracts: '中华人民共和国合同法',
  contractInterpretation2: '最高人民法院关于适用《中华人民共和国合同法》若干问题的解释（二）',
  security: '中华人民共和国担保法',
  securityInterpretation: '最高人民法院关于适用《中华人民共和国担保法》若干问题的解释',
} as const

/** First day of the Labor Contract Law. */
export const laborContractLawFrom = '2008-01-01'
/** First day of the General Rules of the Civil Law. */
export const civilRulesFrom = '2017-10-01'
/** First day of the Civil Code. */
export const civilCodeFrom = '2021-01-01'

/** Builds the citations of some articles of one law: `cite('civilCode', '第五百六十一条')`. */
export const cite = (law: keyof typeof titles, ...articles: string[]): Article[] =>
  articles.map((article) => ({ law: titles[law], article }))

/** Builds the citations of some articles of a law that is in force no more. */
export const citeFormer = (law: keyof typeof formerTitles, ...articles: string[]): Article[] =>
  articles.map((article) => ({ law: formerTitles[law], article }))
