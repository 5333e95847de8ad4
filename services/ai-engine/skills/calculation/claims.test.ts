import { expect, test } from 'vitest'
import { selectClaims } from './claims.ts'
import type { InputSource } from './plan.ts'

const selectNames = (code: string, aim: string, sides: string[]) =>
  selectClaims(code, {
    get: (name: string) => (name === 'aim' ? aim : undefined),
    sides,
  } as unknown as InputSource).map(({ name }) => name.zh)

test.each([
  ['housing_sale', '我不要求解除合同，要求交房', ['buyer'], ['交付房屋']],
  ['housing_sale', '开发商说要解除合同，我不同意，我要房子', ['buyer'], ['交付房屋']],
  ['housing_sale', '要求解除合同，退还房款', ['buyer'], ['解除房屋买卖合同', '返还购房款']],
  ['lease_contract', '房东说我欠租，不退押金', ['lessee'], ['退还押金']],
  ['lease_contract', '租客交了押金，两个月没付房租', ['lessor'], ['支付租金']],
  ['lease_contract', '租客不交租金，还要我退押金', ['lessor'], ['支付租金']],
  ['sale_contract', '卖家没有发货，要求退款', ['buyer'], ['返还货款']],
  ['construction_contract', '要求赔维修费', ['owner'], ['赔偿修复费用']],
  ['construction_contract', '不主张优先受偿权，只要工程款', ['contractor'], ['支付工程款']],
  ['divorce', '离婚，孩子抚养权给他，没有共同财产', [], ['准予离婚']],
  ['guarantee', '保证人说要追偿，我要他承担保证责任', [], ['承担保证责任']],
  ['labor_dispute', '公司没有拖欠工资，但把我辞退了', [], []],
  ['copyright_infringement', '不要赔偿，只要下架', [], ['停止侵害']],
])('%s: %s as %j claims %j', (code, aim, sides, claims) => {
  expect(selectNames(code, aim, sides)).toEqual(claims)
})
