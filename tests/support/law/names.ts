const court = '最高人民法院关于'

/** Names by which running text calls some laws. */
export const shortNames: Record<string, string> = {
  民诉法: '民事诉讼法',
  民诉法解释: `${court}适用《民事诉讼法》的解释`,
  诉讼时效规定: `${court}审理民事案件适用诉讼时效制度若干问题的规定`,
  民间借贷规定: `${court}审理民间借贷案件适用法律若干问题的规定`,
  担保制度解释: `${court}适用《民法典》有关担保制度的解释`,
  '婚姻家庭编解释（一）': `${court}适用《民法典》婚姻家庭编的解释（一）`,
  '劳动争议解释（一）': `${court}审理劳动争议案件适用法律问题的解释（一）`,
  '劳动争议解释（二）': `${court}审理劳动争议案件适用法律问题的解释（二）`,
  '建设工程解释（一）': `${court}审理建设工程施工合同纠纷案件适用法律问题的解释（一）`,
  著作权民事纠纷解释: `${court}审理著作权民事纠纷案件适用法律若干问题的解释`,
  信息网络传播权规定: `${court}审理侵害信息网络传播权民事纠纷案件适用法律若干问题的规定`,
  商标民事纠纷解释: `${court}审理商标民事纠纷案件适用法律若干问题的解释`,
  知识产权案件管辖规定: `${court}第一审知识产权民事、行政案件管辖的若干规定`,
}

/**
 * Texts that are named although the database does not hold them, and why. None of them may be cited
 * by article in a `legal_basis`.
 */
export const outsideDatabase: Record<string, string> = {
  企业职工带薪年休假实施办法: 'rule of a ministry',
  道路交通事故处理程序规定: 'rule of a ministry',
}

/** Laws that are in force no more; the excerpt holds their editions, so that citing one is caught. */
export const formerLaws = ['合同法', '最高人民法院关于限制被执行人高消费的若干规定']
