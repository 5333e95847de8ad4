import { type Basis, checkExamples, type LawExample } from '../../../tests/support/law-example.ts'

const of =
  (law: string) =>
  (article: string, words: string): Basis => ({ law, article, words })
const lending = of('最高人民法院关于审理民间借贷案件适用法律若干问题的规定')
const code = of('中华人民共和国民法典')
const laborContract = of('中华人民共和国劳动合同法')
const contractRules = of('中华人民共和国劳动合同法实施条例')
const labor = of('中华人民共和国劳动法')
const injury = of('最高人民法院关于审理人身损害赔偿案件适用法律若干问题的解释')
const workInjury = of('工伤保险条例')
const fees = of('诉讼费用交纳办法')
const delay = of('最高人民法院关于执行程序中计算迟延履行期间的债务利息适用法律若干问题的解释')
const contracts2 = of('最高人民法院关于适用《中华人民共和国合同法》若干问题的解释（二）')
const hours = of('国务院关于职工工作时间的规定')

const transition = lending(
  '第三十一条',
  '请求适用当时的司法解释计算自合同成立到2020年8月19日的利息部分',
)
const cap = lending('第二十五条', '超过合同成立时一年期贷款市场报价利率四倍的除外')
const overdue = lending('第二十八条', '参照当时一年期贷款市场报价利率标准')
const allocation = code('第五百六十一条', '（二）利息；')

const loans: LawExample[] = [
  {
    on: 'made on the day before the cap changed: 73,000 × 20 % and × 15.4 %, a day each',
    inputs: {
      ...{ principal: 73_000, rate: 20, made_on: '2020-08-19', from: '2020-08-19' },
      ...{ to: '2020-08-21', filed_on: '2021-03-01' },
    },
    result: { interest: 70.8, cap_rate: 15.4 },
    basis: [transition, cap],
  },
  {
    on: 'made on the day of the change: 4 × 3.85 % from the first day',
    inputs: {
      ...{ principal: 100_000, rate: 20, made_on: '2020-08-20', from: '2020-08-20' },
      to: '2021-08-20',
    },
    result: { interest: 15_400, cap_rate: 15.4 },
    basis: [cap],
    without: [transition],
  },
  {
    on: 'filed on the day before the change: 24 % to the end',
    inputs: {
      ...{ principal: 36_500, rate: 30, made_on: '2020-01-01', from: '2020-01-01' },
      ...{ to: '2020-12-31', filed_on: '2020-08-19' },
    },
    result: { interest: 8_760, cap_rate: 24 },
    basis: [transition],
    without: [cap],
  },
  {
    on: 'calculated up to a day before the change, filed after it: the cap of the end is 24 %',
    inputs: {
      ...{ principal: 36_500, rate: 36, made_on: '2019-03-01', from: '2019-03-01' },
      ...{ to: '2020-02-29', filed_on: '2022-02-01' },
    },
    result: { interest: 8_760, cap_rate: 24 },
    basis: [transition],
    without: [cap],
  },
  {
    on: 'made on the day on which the LPR fell to 3.80 %',
    inputs: {
      ...{ principal: 10_000, rate: 16, made_on: '2021-12-20', from: '2021-12-20' },
      to: '2022-12-20',
    },
    result: { interest: 1_520, cap_rate: 15.2 },
    basis: [cap],
  },
  {
    // 2,991.78 of 4,000 is interest; then 98,991.78 × 12 % × 91 / 365.
    on: 'a payment on the last day before the Civil Code',
    inputs: {
      ...{ principal: 100_000, rate: 12, made_on: '2020-10-01', from: '2020-10-01' },
      ...{ to: '2021-04-01', payments: [{ on: '2020-12-31', amount: 4_000 }] },
    },
    result: { interest: 2_961.62, principal_due: 98_991.78, total_due: 101_953.4 },
    basis: [contracts2('第二十一条', '（二）利息；')],
    without: [allocation],
  },
  {
    on: 'a payment on the first day of the Civil Code that is less than the interest',
    inputs: {
      ...{ principal: 100_000, rate: 12, made_on: '2020-10-01', from: '2020-10-01' },
      ...{ to: '2021-01-01', payments: [{ on: '2021-01-01', amount: 1_000 }] },
    },
    result: { interest: 2_024.66, principal_due: 100_000, total_due: 102_024.66 },
    basis: [allocation],
  },
  {
    on: 'interest deducted in advance before the Civil Code: 95,000 × 10 %',
    inputs: {
      ...{ principal: 100_000, withheld: 5_000, rate: 10, made_on: '2020-12-31' },
      ...{ from: '2020-12-31', to: '2021-12-31' },
    },
    result: { interest: 9_500, principal_due: 95_000 },
    basis: [
      lending('第二十六条', '将实际出借的金额认定为本金'),
      of('中华人民共和国合同法')('第二百条', '应当按照实际借款数额返还借款并计算利息'),
    ],
    without: [code('第六百七十条', '')],
  },
  {
    on: 'an agreement on no interest, in default from a leap day: 50,000 × 3.45 %',
    inputs: {
      ...{ principal: 50_000, rate: 0, made_on: '2023-01-01', from: '2023-01-01' },
      ...{ overdue_from: '2024-02-29', to: '2025-02-28' },
    },
    result: { interest: 1_725 },
    basis: [overdue, lending('第二十四条', '没有约定利息，出借人主张支付利息的，人民法院不予支持')],
  },
  {
    // 100,000 × 4.05 %; by the interpretation of that time 172 days at 6 %, then 193 at 4.05 %.
    on: 'no rate agreed, in default before the cap changed',
    inputs: {
      ...{ principal: 100_000, made_on: '2020-01-10', from: '2020-01-10' },
      ...{ overdue_from: '2020-03-01', to: '2021-03-01' },
    },
    result: { interest: 4_050 },
    alternatives: [{ interest: 3_877.39 }, { interest: 4_968.91 }],
    basis: [overdue, transition],
  },
  {
    on: 'overdue interest and a penalty together reach the cap: 14.8 % for 365 days',
    inputs: {
      ...{ principal: 20_000, rate: 6, made_on: '2022-01-20', from: '2022-01-20' },
      ...{ overdue_from: '2023-01-20', overdue_rate: 8, penalty_percent_per_day: 0.05 },
      to: '2024-01-20',
    },
    result: { interest: 4_160, cap_rate: 14.8 },
    basis: [
      lending('第二十九条', '总计超过合同成立时一年期贷款市场报价利率四倍的部分，人民法院不予支持'),
    ],
  },
  {
    on: 'overdue without a penalty: no article on penalties',
    inputs: {
      ...{ principal: 36_500, rate: 6, made_on: '2023-09-01', from: '2023-09-01' },
      ...{ overdue_from: '2024-02-28', to: '2024-03-01' },
    },
    result: { interest: 1_092 },
    basis: [lending('第二十八条', '按照借期内利率支付资金占用期间利息')],
    without: [lending('第二十九条', '')],
  },
].map((each) => ({ calculator: 'loan_interest', ...each }))

const sale = of('最高人民法院关于审理买卖合同纠纷案件适用法律问题的解释')(
  '第十八条',
  '加计30—50%计算逾期付款损失',
)
const latePayments: LawExample[] = [
  {
    on: 'a breach on the first day of the LPR: 100,000 × 4.25 % × 1.3 and × 1.5 over a leap year',
    inputs: { price: 100_000, from: '2019-08-20', to: '2020-08-20' },
    result: { days: 366, low: 5_540.14, high: 6_392.47 },
    basis: [sale],
  },
  {
    on: 'over a leap day: two days at 3.45 %',
    inputs: { price: 365_000, from: '2024-02-28', to: '2024-03-01' },
    result: { days: 2, low: 89.7, high: 103.5 },
    basis: [sale],
  },
].map((each) => ({ calculator: 'late_payment', ...each }))

const years = laborContract('第四十七条', '六个月以上不满一年的，按一年计算')
const ceiling = laborContract('第四十七条', '向其支付经济补偿的年限最高不超过十二年')
const sinceLaw = laborContract('第九十七条', '经济补偿年限自本法施行之日起计算')
const acrossLaw = { start: '2006-01-01', end: '2020-06-30' }
const severances: LawExample[] = [
  {
    on: 'service across 2008: 12 years and six months from the law on; 14 and six in all',
    inputs: { ...acrossLaw, average_wage: 10_000, ground: 'agreed' },
    result: { years: 13, n: 130_000, two_n: null },
    alternatives: [{ years: 15, n: 150_000 }],
    basis: [years, sinceLaw],
  },
  {
    on: 'unlawful, across 2008: from the first day of work',
    inputs: { ...acrossLaw, average_wage: 10_000, ground: 'unlawful' },
    result: { years: 15, n: 150_000, two_n: 300_000 },
    basis: [
      laborContract('第八十七条', '经济补偿标准的二倍'),
      contractRules('第二十五条', '赔偿金的计算年限自用工之日起计算'),
    ],
    without: [sinceLaw],
  },
  {
    on: 'a cent above three times the local wage: twelve years at the ceiling',
    inputs: {
      ...{ ...acrossLaw, average_wage: 30_000.01, ground: 'agreed' },
      local_average_wage: 10_000,
    },
    result: { years: 12, base: 30_000, n: 360_000 },
    basis: [ceiling],
  },
  {
    on: 'exactly three times the local wage is not above it',
    inputs: {
      ...{ ...acrossLaw, average_wage: 30_000, ground: 'agreed' },
      local_average_wage: 10_000,
    },
    result: { years: 13, base: 30_000, n: 390_000 },
    basis: [laborContract('第四十七条', '高于用人单位所在直辖市')],
  },
  {
    on: 'a day short of six months: half a month',
    inputs: { start: '2024-01-01', end: '2024-06-29', average_wage: 8_000, ground: 'agreed' },
    result: { years: 0.5, n: 4_000 },
    basis: [laborContract('第四十七条', '不满六个月的，向劳动者支付半个月工资')],
  },
  {
    on: 'from the end of August to the end of February: six months',
    inputs: {
      ...{ start: '2023-08-31', end: '2024-02-29', average_wage: 8_000, ground: 'article_40' },
      last_month_wage: 7_000,
    },
    result: { years: 1, n: 8_000, n_plus_one: 15_000 },
    basis: [contractRules('第二十条', '按照该劳动者上一个月的工资标准确定')],
  },
].map((each) => ({ calculator: 'severance', ...each }))

const doubled = contractRules('第七条', '自用工之日起满一个月的次日至满一年的前一日')
const restOfMonth = of('最高人民法院关于审理劳动争议案件适用法律问题的解释（二）')(
  '第六条',
  '不满一个月的，按该月实际工作日计算',
)
const paidHolidays = labor('第五十一条', '劳动者在法定休假日')
const restDays = hours('第七条', '星期六和星期日为周休息日')
const doubleWages: LawExample[] = [
  {
    on: 'hired on a leap day: eleven months up to the day before the year is full',
    inputs: { hired_on: '2024-02-29', monthly_wage: 5_000 },
    result: { from: '2024-03-29', to: '2025-02-27', months: 11, extra: 55_000 },
    basis: [doubled],
  },
  {
    on: 'signed a day late: one working day at 400',
    inputs: { hired_on: '2024-03-01', monthly_wage: 8_700, signed_on: '2024-04-02' },
    result: { from: '2024-04-01', to: '2024-04-01', months: 0, extra: 400 },
    basis: [
      restOfMonth,
      paidHolidays,
      restDays,
      contractRules('第六条', '补订书面劳动合同的前一日'),
    ],
  },
  {
    on: 'hired before the law: from a month after its first day',
    inputs: { hired_on: '2007-05-01', monthly_wage: 2_000 },
    result: { from: '2008-02-01', to: '2008-12-31', months: 11, extra: 22_000 },
    basis: [laborContract('第九十七条', '应当自本法施行之日起一个月内订立')],
  },
].map((each) => ({ calculator: 'double_wage', ...each }))

const overtimeRates = labor('第四十四条', '支付不低于工资的百分之三百的工资报酬')
const leave = of('职工带薪年休假条例')('第五条', '日工资收入的300%')
const wages: LawExample[] = [
  {
    // 37.5 × 1.5 × 3 + 300 × 2 + 300 × 3.
    on: 'three hours, a rest day and a holiday',
    calculator: 'overtime',
    inputs: { monthly_wage: 6_525, workday_hours: 3, rest_days: 1, holidays: 1 },
    result: { hourly: 37.5, daily: 300, overtime: 1_668.75 },
    basis: [overtimeRates, paidHolidays, restDays, hours('第三条', '每日工作8小时')],
  },
  {
    on: 'half an hour: 28.74 × 1.5 × 0.5 is 21.555, half up',
    calculator: 'overtime',
    inputs: { monthly_wage: 5_000, workday_hours: 0.5, rest_days: 0, holidays: 0 },
    result: { daily: 229.89, hourly: 28.74, overtime: 21.56 },
    basis: [overtimeRates],
  },
  {
    on: 'ten days beside the wage that was paid, or with it',
    calculator: 'annual_leave',
    inputs: { monthly_wage: 6_525, days_unused: 10 },
    result: { daily: 300, extra: 6_000 },
    alternatives: [{ extra: 9_000 }],
    basis: [leave, paidHolidays],
  },
  {
    on: 'one day at 229.89',
    calculator: 'annual_leave',
    inputs: { monthly_wage: 5_000, days_unused: 1 },
    result: { extra: 459.78 },
    alternatives: [{ extra: 689.67 }],
    basis: [leave],
  },
  {
    on: 'grade four at exactly 60 % of the local wage',
    calculator: 'work_injury',
    inputs: { grade: 4, monthly_wage: 4_800, local_average_wage: 8_000 },
    result: { base: 4_800, months: 21, grant: 100_800 },
    basis: [workInjury('第三十五条', '四级伤残为21个月的本人工资')],
  },
  {
    on: 'grade six a cent above 300 %',
    calculator: 'work_injury',
    inputs: { grade: 6, monthly_wage: 24_000.01, local_average_wage: 8_000 },
    result: { base: 24_000, months: 16, grant: 384_000 },
    basis: [
      workInjury('第三十六条', '六级伤残为16个月的本人工资'),
      workInjury('第六十四条', '按照统筹地区职工平均工资的300%计算'),
    ],
  },
  {
    on: 'grade seven',
    calculator: 'work_injury',
    inputs: { grade: 7, monthly_wage: 5_000, local_average_wage: 8_000 },
    result: { base: 5_000, months: 13, grant: 65_000 },
    basis: [workInjury('第三十七条', '七级伤残为13个月的本人工资')],
  },
]

const disabled = injury(
  '第十二条',
  '六十周岁以上的，年龄每增加一岁减少一年；七十五周岁以上的，按五年计算',
)
const disabilities: LawExample[] = (
  [
    [60, 20, 120_000],
    [61, 19, 114_000],
    [74, 6, 36_000],
    [75, 5, 30_000],
  ] as const
).map(([age, count, amount]) => ({
  calculator: 'disability',
  on: `at the age of ${age}`,
  inputs: { annual_income: 60_000, share: 0.1, age },
  result: { years: count, amount },
  basis: [disabled, injury('第二十二条', '政府统计部门公布')],
}))

const lost = injury('第七条', '误工费根据受害人的误工时间和收入状况确定')
const order = code(
  '第一千二百一十三条',
  '先由承保机动车强制保险的保险人在强制保险责任限额范围内予以赔偿',
)
const share = of('中华人民共和国道路交通安全法')('第七十六条', '承担不超过百分之十的赔偿责任')
const support = of('最高人民法院关于适用《中华人民共和国民法典》婚姻家庭编的解释（一）')(
  '第四十九条',
  '一般不得超过月总收入的百分之五十',
)
const damages: LawExample[] = [
  {
    on: '366 days',
    calculator: 'lost_income',
    inputs: { annual_income: 73_000, days: 366 },
    result: { amount: 73_200 },
    basis: [lost],
  },
  {
    on: 'one day',
    calculator: 'lost_income',
    inputs: { annual_income: 50_000, days: 1 },
    result: { amount: 136.99 },
    basis: [lost],
  },
  {
    on: 'a driver without fault: limits of that case, then 10 % of 3,600',
    calculator: 'traffic_split',
    inputs: {
      ...{ medical: 5_000, disability: 0, property: 500, fault_share: 0.1 },
      compulsory_limits: { medical: 1_800, disability: 18_000, property: 100 },
      commercial_limit: 1_000_000,
    },
    result: { compulsory: 1_900, commercial: 360, remaining: 0 },
    basis: [order, share],
  },
  {
    on: 'limits of 2008 to 2020, which do not make up for each other',
    calculator: 'traffic_split',
    inputs: {
      ...{ medical: 12_000, disability: 50_000, property: 2_000.01, fault_share: 0.3 },
      compulsory_limits: { medical: 10_000, disability: 110_000, property: 2_000 },
      commercial_limit: 500,
    },
    result: { compulsory: 62_000, commercial: 500, remaining: 100 },
    basis: [order],
  },
  {
    on: 'one child',
    calculator: 'child_support',
    inputs: { monthly_income: 12_345.67, children: 1 },
    result: { low: 2_469.13, high: 3_703.7 },
    basis: [support],
  },
  {
    on: 'three children: at most half, half up to the cent',
    calculator: 'child_support',
    inputs: { monthly_income: 12_345.67, children: 3 },
    result: { low: 2_469.13, high: 6_172.84 },
    basis: [support],
  },
]

const scale = fees('第十三条', '超过2000万元的部分，按照0.5%交纳')
const courtFees: LawExample[] = (
  [
    [0, 50],
    [10_000, 50],
    [10_000.2, 50.01],
    [100_000, 2_300],
    [200_000, 4_300],
    [500_000, 8_800],
    [1_000_000, 13_800],
    [2_000_000, 22_800],
    [5_000_000, 46_800],
    [10_000_000, 81_800],
    [20_000_000, 141_800],
    [20_000_001, 141_800.01],
  ] as const
).map(([amount, fee]) => ({
  calculator: 'court_fee',
  on: `of ${amount} yuan`,
  inputs: { kind: 'property', amount },
  result: { low: fee, high: fee },
  basis: [scale],
}))
const otherFees: LawExample[] = [
  {
    on: 'a divorce with 600,000 yuan, in summary procedure',
    calculator: 'court_fee',
    inputs: { kind: 'divorce', amount: 600_000, simplified: true },
    result: { low: 1_025, high: 1_150 },
    basis: [
      fees('第十三条', '财产总额不超过20万元的，不另行交纳；超过20万元的部分，按照0.5%交纳'),
      fees('第十六条', '减半交纳案件受理费'),
    ],
  },
  {
    on: 'another case, in summary procedure',
    calculator: 'court_fee',
    inputs: { kind: 'other', simplified: true },
    result: { low: 25, high: 50 },
    basis: [fees('第十三条', '其他非财产案件每件交纳50元至100元')],
  },
  ...(
    [
      ['preservation', 1_000, 30],
      ['preservation', 100_000, 1_020],
      ['preservation', 896_000, 5_000],
      ['preservation', 896_001, 5_000],
      ['enforcement', 10_000, 50],
      ['enforcement', 500_000, 7_400],
      ['enforcement', 5_000_000, 52_400],
      ['enforcement', 10_000_000, 77_400],
      ['payment_order', 10_000, 16.67],
    ] as const
  ).map(([kind, amount, fee]) => ({
    calculator: 'application_fee',
    on: `${kind} of ${amount} yuan`,
    inputs: { kind, amount },
    result: { fee },
    basis: [fees('第十四条', '比照财产案件受理费标准的1/3交纳')],
  })),
]

const formula = delay('第一条', '日万分之一点七五')
const since = delay('第二条', '履行期间届满之日起计算')
const debtFirst = delay('第四条', '应当先清偿生效法律文书确定的金钱债务')
const delays: LawExample[] = [
  {
    on: 'over a leap day: two days at 35 yuan',
    inputs: { amount: 200_000, period_ended_on: '2024-02-28', until: '2024-03-01' },
    result: { interest: 70 },
    basis: [formula, since, delay('第三条', '计算至被执行人履行完毕之日')],
    without: [debtFirst],
  },
  {
    on: 'half paid on a leap day: 60 days at 17.50, 31 at 8.75',
    inputs: {
      ...{ amount: 100_000, period_ended_on: '2023-12-31', until: '2024-03-31' },
      payments: [{ on: '2024-02-29', amount: 50_000 }],
    },
    result: { interest: 1_321.25 },
    basis: [formula, debtFirst],
  },
].map((each) => ({ calculator: 'delayed_performance', ...each }))

checkExamples([
  ...loans,
  ...latePayments,
  ...severances,
  ...doubleWages,
  ...wages,
  ...disabilities,
  ...damages,
  ...courtFees,
  ...otherFees,
  ...delays,
])
