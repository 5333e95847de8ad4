const list = (text: string) => text.trim().split(/\s+/)

/** Vocabulary of the generated facts, frequent words first. */
export const chinese = {
  matter: list(`
    合同 借款 违约金 利息 本金 劳动合同 房屋 租赁 货款 保证金 定金 工资 赔偿金 抚养费 股权 工程款 租金 担保
    抵押 债务 婚姻 财产分割 遗产 继承 专利 商标 著作权 商业秘密 交通事故 医疗费 误工费 护理费 伤残等级 工伤
    加班费 经济补偿 竞业限制 社会保险 公积金 物业费 装修 质量瑕疵 逾期交房 产权登记 首付款 按揭贷款 保险金
    理赔 运输 仓储 委托代理 居间服务 技术开发 特许经营 合伙 清算 破产重整 债权转让 代位求偿 票据 信用证
    提单 海难救助 船舶碰撞 建设用地 拆迁补偿 征收 行政处罚 行政复议 国家赔偿 环境污染 生态修复 名誉权 隐私权
    肖像权 监护 收养 赡养 彩礼 家庭暴力 探视权 居住权 地役权 相邻关系 不当得利 无因管理 高空抛物 饲养动物`),
  act: list(`
    支付 签订 约定 履行 解除 主张 提交 确认 收到 拒绝 要求 承担 返还 起诉 申请 通知 催告 变更 转让 终止 举证
    质证 调解 和解 上诉 执行 冻结 查封 扣押 拍卖 评估 鉴定 公证 登记 备案 撤销 追认 抗辩 抵销 免除 提存 催收
    扣除 垫付 补足 续签 协商 承诺 隐瞒 欺诈 胁迫 变造 伪造 篡改 灭失 毁损`),
  evidence: list(`
    合同原件 转账凭证 聊天记录 录音 收据 借条 发票 送货单 对账单 证人证言 鉴定意见 银行流水 考勤记录 工资条
    病历 现场照片 监控录像 公证书 电子邮件 快递签收单 验收单 施工日志 会议纪要 股东名册 公司章程 审计报告
    评估报告 房产证 结婚证 出生证明 遗嘱 保险单 事故认定书 行政决定书 判决书 裁定书 调解书 仲裁裁决`),
  role: list(`原告 被告 申请人 被申请人 第三人 上诉人 被上诉人 出租人 承租人 借款人 出借人 保证人 用人单位 劳动者
    买受人 出卖人 发包人 承包人 股东 监护人 受益人 承运人 托运人 委托人 受托人 债权人 债务人 质权人 破产管理人`),
  court:
    list(`北京市朝阳区人民法院 上海市浦东新区人民法院 广州市天河区人民法院 深圳市南山区人民法院 杭州互联网法院
    北京市第一中级人民法院 成都市武侯区人民法院 南京市鼓楼区人民法院 武汉市江汉区人民法院 西安市雁塔区人民法院
    重庆市渝北区人民法院 天津市和平区人民法院 苏州工业园区人民法院 青岛市市南区人民法院 大连海事法院
    厦门市思明区人民法院 长沙市岳麓区人民法院 昆明市五华区人民法院 沈阳市和平区人民法院 哈尔滨市南岗区人民法院`),
  region: list('京 沪 粤 浙 苏 川 鄂 陕 渝 津 鲁 闽 湘 云 辽 黑 桂 皖 豫 冀 甘 琼 青 藏'),
  city: list(`北京 上海 广州 深圳 杭州 南京 成都 武汉 西安 重庆 天津 苏州 青岛 厦门 长沙 昆明 沈阳 大连 宁波 合肥
    郑州 济南 福州 南昌 贵阳 太原 兰州 海口 银川 西宁`),
  trade: list(
    '科技 贸易 建筑工程 房地产开发 物流 餐饮管理 文化传媒 机械制造 医疗器械 农业发展 网络技术 投资管理 物业服务 环保',
  ),
  surname: Array.from(
    '王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕',
  ),
  given: Array.from(
    `伟芳娜敏静丽强磊军洋勇艳杰娟涛明超秀霞平刚桂英华玉兰鹏辉宇浩然子轩雨涵欣怡思远嘉琪文博梓萱晨
    曦佳宁俊豪雪梅海燕建国志强春晓东升国庆金凤红梅晓峰立新德才长江永康瑞祥兴旺`.replace(/\s/g, ''),
  ),
}

export const english = {
  noun: list(`
    contract payment loan lease claim damages notice party court evidence agreement deposit interest penalty invoice
    delivery warranty breach termination arbitration settlement employee employer landlord tenant buyer seller
    shareholder director guarantor mortgage property title insurance policy premium injury negligence liability
    trademark patent copyright license royalty confidentiality injunction appeal judgment hearing witness affidavit
    expert report audit valuation bankruptcy creditor debtor trustee assignment indemnity escrow merger acquisition
    prospectus dividend pension severance overtime discrimination harassment custody alimony inheritance testament
    easement zoning permit tariff customs demurrage charterparty salvage subrogation novation estoppel laches`),
  verb: list(`pays signs disputes delivers terminates claims accepts refuses files submits confirms withholds returns
    assigns discloses amends renews waives guarantees registers appeals settles notifies inspects rejects`),
  manner: list(
    'promptly fully late partly knowingly lawfully repeatedly jointly severally unilaterally expressly',
  ),
  syllable: list(
    'bar con dal fen gar hol jor kem lin mar nor pel quin ros sel tor van wes yor zan bell crest field gate',
  ),
}
