import { describe, expect, test } from 'vitest'
import { loadProfiles } from './support/law/profiles.ts'
import { collectLegalBases } from './support/law/sources.ts'
import { readDataFiles } from './support/seed-packages.ts'

const profiles = loadProfiles()
const elements = new Map<string, any>(
  profiles.flatMap(({ elements }) => elements.map((each) => [each.element_id, each] as const)),
)
const court = '最高人民法院关于'
const labor1 = `${court}审理劳动争议案件适用法律问题的解释（一）`
const labor2 = `${court}审理劳动争议案件适用法律问题的解释（二）`
const lending = `${court}审理民间借贷案件适用法律若干问题的规定`
const insurance2 = `${court}适用《保险法》若干问题的解释（二）`
const construction1 = `${court}审理建设工程施工合同纠纷案件适用法律问题的解释（一）`
const developers = `${court}审理商品房买卖合同纠纷案件适用法律若干问题的解释`
const cites = (value: unknown, law: string, article: string) =>
  collectLegalBases(value).some((basis) => basis.law === law && basis.article === article)

describe('an element rests on the rule that governs it:', () => {
  test.each([
    ['labor_dispute.double_wage', labor2, '第六条'],
    ['labor_dispute.double_wage', labor2, '第七条'],
    ['labor_dispute.arbitration', labor2, '第二十条'],
    ['labor_dispute.arbitration', '劳动争议调解仲裁法', '第四十三条'],
    ['labor_dispute.arbitration', '劳动争议调解仲裁法', '第四十九条'],
    ['labor_dispute.overtime', labor1, '第四十二条'],
    ['labor_dispute.unlawful_dismissal', labor1, '第四十四条'],
    ['labor_dispute.notice_pay', '劳动合同法实施条例', '第二十条'],
    ['labor_dispute.annual_leave', '职工带薪年休假条例', '第五条'],
    ['labor_dispute.additional_damages', '劳动合同法', '第八十五条'],
    ['labor_dispute.severance', '劳动合同法', '第九十七条'],
    ['private_lending.principal', '民法典', '第五百六十一条'],
    ['private_lending.principal', lending, '第二十七条'],
    ['private_lending.interest', lending, '第三十条'],
    ['private_lending.due', '民法典', '第二百零二条'],
    ['divorce.marriage', '民法典', '第一千零五十一条'],
    ['divorce.filing_bar', '民事诉讼法', '第一百二十七条'],
    ['traffic_accident.fault', '民法典', '第一千一百六十五条'],
    ['traffic_accident.no_fault_liability', '道路交通安全法', '第七十六条'],
    ['traffic_accident.liable_person', '民法典', '第一千二百一十三条'],
    ['lease_contract.deposit_return', '住房租赁条例', '第十条'],
    ['lease_contract.deposit_return', '民法典', '第七百三十三条'],
    ['labor_dispute.relation', labor2, '第二条'],
    ['labor_dispute.overtime', '国务院关于职工工作时间的规定', '第三条'],
    ['traffic_accident.liable_person', '民法典', '第一千二百一十一条'],
    ['traffic_accident.liable_person', insurance2, '第十条'],
    ['lease_contract.termination', '民法典', '第七百三十四条'],
    ['construction_contract.owner_claim', construction1, '第十四条'],
    ['construction_contract.owner_claim', construction1, '第十八条'],
    ['construction_contract.settlement', construction1, '第二十九条'],
    ['construction_contract.priority', construction1, '第四十条'],
    ['equity_transfer.rescission', '民法典', '第一百五十二条'],
    ['inheritance.will', '民法典', '第一千一百三十八条'],
  ])('%s on %s %s', (element, law, article) => {
    expect(cites(elements.get(element), law, article)).toBe(true)
  })
})

test('enforcement is sought within two years and bears doubled interest', () => {
  const checklist = readDataFiles('knowledge_structured_seeds', 'data/checklists')
    .flatMap(({ records }) => records)
    .find(({ item_id }) => item_id === 'debt_collection.enforcement')
  for (const article of ['第二百五十条', '第二百六十四条']) {
    expect(cites(checklist, '民事诉讼法', article)).toBe(true)
  }
})

describe('the words of the law', () => {
  test('a debt due on 2024-12-31 is barred after 2027-12-31 and not a day later', () => {
    const { formula } = elements.get('private_lending.due').calculation
    expect(formula).toContain('2024-12-31到期未还且无中断，最后一日为2027-12-31')
    for (const { calculation } of elements.values()) {
      expect(calculation?.formula ?? '').not.toMatch(/届满之次日|次日\s*\+\s*\d+年/)
    }
  })

  test('loans of before 2020-08-20 bear 24 % until the day before', () => {
    const { formula } = elements.get('private_lending.interest').calculation
    expect(formula).toMatch(/成立至2020-08-19.*24%/)
  })

  test('wages by the day are divided by 21.75', () => {
    for (const name of ['unpaid_wages', 'overtime', 'annual_leave']) {
      expect(elements.get(`labor_dispute.${name}`).calculation.formula).toContain('21.75')
    }
  })

  test('fault between motor vehicles and liability to pedestrians are alternatives', () => {
    const fault = elements.get('traffic_accident.fault')
    const strict = elements.get('traffic_accident.no_fault_liability')
    expect([fault.required, strict.required]).toEqual([true, true])
    expect(fault.applies_when).not.toBe(strict.applies_when)
    expect(cites(strict.legal_basis, '民法典', '第一千一百六十五条')).toBe(false)
  })

  test('whoever cites the interpretation for developers says that it is for their houses', () => {
    const citing = [...elements.values()]
      .flatMap((element) => [
        { ...element, defences: [], calculation: null },
        ...element.defences,
        ...(element.calculation ? [element.calculation] : []),
      ])
      .concat(profiles.flatMap(({ record }) => record.risk_factors))
      .filter((each) => collectLegalBases([each]).some(({ law }) => law === developers))
    expect(citing.length).toBeGreaterThan(15)
    const silent = citing.filter(
      ({ name, description, formula }) =>
        !/商品房|开发商|预售/.test([name, description, formula].join()),
    )
    expect(silent.map(({ name }) => name)).toEqual([])
  })

  test('limitation is an objection and never an element', () => {
    const names = [...elements.values()].map(({ name }) => name as string)
    expect(names.filter((name) => name.includes('时效'))).toEqual([])
    const limitation = [...elements.values()]
      .flatMap(({ defences }) => defences)
      .filter(({ name }) => name.includes('时效') && !name.includes('明知'))
    expect(limitation.length).toBeGreaterThan(8)
    for (const { name, kind, burden_of_proof } of limitation) {
      expect([name, kind, burden_of_proof]).toEqual([name, 'objection', 'defendant'])
    }
  })

  test('works that passed acceptance keep their warranty', () => {
    const { description } = elements.get('construction_contract.owner_claim')
    expect(description).toContain('未经竣工验收擅自使用的，只能就地基基础和主体结构主张')
    expect(description).toContain('竣工验收合格的，仍可以就保修范围内的质量问题主张')
  })

  test('confusion is not needed where sign and goods are identical', () => {
    const { applies_when } = elements.get('trademark_infringement.confusion')
    expect(applies_when).toBe('不是在同一种商品上使用相同的商标')
  })

  test('the interpretation of 2021 on punitive damages is not relied on', () => {
    const old = `${court}审理侵害知识产权民事案件适用惩罚性赔偿的解释`
    expect(collectLegalBases(profiles).filter(({ law }) => law === old)).toEqual([])
  })

  test.each([
    ['trademark_infringement', '商标法（2026年修订）', '2027-01-01'],
    ['copyright_infringement', '法释〔2026〕18号', '2026-09-01'],
    ['construction_contract', '法释〔2026〕12号', null],
    ['traffic_accident', '法释〔2026〕9号', null],
  ])('%s names the later text %s', (code, name, effective_from) => {
    const { record } = profiles.find(({ record }) => record.code === code)!
    const text = record.later_texts.find(
      ({ title, number }: any) => title === name || number === name,
    )
    expect(text).toMatchObject({ effective_from })
  })
})

test('causes are named as the list in force since 2026-01-01 names them', () => {
  expect(profiles.map(({ record }) => record.name)).toEqual([
    '建设工程施工合同纠纷',
    '著作权权属、侵权纠纷',
    '离婚纠纷',
    '股权转让纠纷',
    '金融借款合同纠纷',
    '保证合同纠纷',
    '房屋买卖合同纠纷',
    '继承纠纷',
    '劳动争议',
    '房屋租赁合同纠纷',
    '医疗损害责任纠纷',
    '相邻关系纠纷',
    '合伙合同纠纷',
    '生命权、身体权、健康权纠纷',
    '民间借贷纠纷',
    '产品责任纠纷',
    '物业服务合同纠纷',
    '名誉权纠纷',
    '买卖合同纠纷',
    '服务合同纠纷',
    '侵害商标权纠纷',
    '机动车交通事故责任纠纷',
    '不当得利纠纷',
    '工伤保险待遇纠纷',
  ])
})
