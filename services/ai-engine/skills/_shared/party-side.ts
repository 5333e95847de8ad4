/** Words that show which party of a relation the person is, for causes that either party brings. */
const sidePatterns: Record<string, [role: string, pattern: RegExp][]> = {
  sale_contract: [
    [
      'seller',
      /(?:欠|[不没未]有?[付结]|拖欠)[^，。；]{0,6}货款|(?:我|我们|我公司|我司|本公司)[^，。；买]{0,14}(?:交付|供货|送货|发货|卖给)|我(?:们|公司|司)?要求[^，。；]{0,6}(?:支付|付清)[^，。；]{0,4}货款|\bI (?:sold|delivered)\b|unpaid (?:price|invoice)/iu,
    ],
    [
      'buyer',
      /(?<!对方[^，。；]{0,4})(?:退货|退款)|[不没]有?发货|(?<!(?:说|称)[^，。；]{0,4})质量问题|假货|(?:我|我们|我公司|我司)[^，。；]{0,10}(?:买了|购买|采购|(?<!交)付了)|\bI bought\b|not deliver|defective/iu,
    ],
  ],
  housing_sale: [
    [
      'buyer',
      /开发商|[不没未]有?交房|逾期交房|(?:我|我们)[^，。；]{0,6}(?:买了|购买|买的)|退[^，。；]{0,4}房款|房款[^，。；]{0,4}退|\bI bought\b|developer/iu,
    ],
    ['seller', /买方|买家|(?:我|我们)[^，。；]{0,6}(?:卖了|卖给|出售)|\bI sold\b|the buyer/iu],
  ],
  service_contract: [
    [
      'provider',
      /(?:客户|甲方|委托人)[^，。；]{0,12}(?:欠|拖|不付|没付)|我[^，。；]{0,4}完成[^，。；]{0,4}(?:服务|设计|项目)|\b(?:client|customer)\b[^.,;]{0,12}(?:owes|not paid)/iu,
    ],
    [
      'customer',
      /退卡|退费|退课|(?<!客户[^，。；]{0,6})退款|关门|跑路|停业|refund|my money back/iu,
    ],
  ],
  property_service: [
    ['manager', /我们?(?:是|公司是)?[^，。；]{0,6}物业|业主[^，。；]{0,16}(?:欠|不交|拖欠)/u],
    [
      'owner',
      /我是[^，。；]{0,6}业主|物业[^，。；]{0,4}多收|物业(?:公司)?[^，。；]{0,8}(?:乱收|多收|不作为|不管|不修)/u,
    ],
  ],
}

/** Role of the person in a cause that either party brings; undefined if the texts do not show one. */
export function partySideIn(code: string, texts: string[]): string | undefined {
  const text = texts.join('\n')
  const roles = (sidePatterns[code] ?? []).filter(([, pattern]) => pattern.test(text))
  return roles.length === 1 ? roles[0]![0] : undefined
}

/** Side of an answer on the role whose words are not those of the party. */
export function answeredSide(code: string, answer: unknown, client_role?: string | null) {
  if (code !== 'construction_contract') return undefined
  // A general contractor is claimed against by the owner and by those who worked for it.
  if (answer === 'general_contractor' && client_role === 'respondent') return undefined
  return contractors.includes(String(answer)) ? 'contractor' : undefined
}
const contractors = ['general_contractor', 'subcontractor', 'actual_constructor', 'labor_team']
