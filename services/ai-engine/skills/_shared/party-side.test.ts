import { expect, test } from 'vitest'
import { partySideIn } from './party-side.ts'

test.each([
  ['sale_contract', '我公司向宏达公司交付了一批钢材，对方一直不付货款', 'seller'],
  ['sale_contract', '付了定金买设备，供应商收了钱不发货', 'buyer'],
  ['sale_contract', '网上买的二手挖机，卖家不给退货', 'buyer'],
  ['housing_sale', '买了期房，开发商逾期交房一年多了', 'buyer'],
  ['housing_sale', '我把房子卖给他，买家不付尾款', 'seller'],
  ['property_service', '我们是物业公司，有业主三年没交物业费', 'manager'],
  ['property_service', '物业乱收停车费还不公示', 'owner'],
  ['sale_contract', '合同签了以后就没有消息', undefined],
  ['private_lending', '我借给张三10万元', undefined],
])('in %s, “%s” shows the side %s', (code, text, side) => {
  expect(partySideIn(code, [text])).toBe(side)
})
