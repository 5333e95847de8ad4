import type { Bilingual } from '../_shared/language.ts'

export interface EvidenceKind {
  kind: string
  label: Bilingual
  /** Words that identify the document in its name or its first lines. */
  title: RegExp
  /** Words that identify it anywhere in the text. */
  body?: RegExp
  /** Parts of the evidence types of knowledge-service that such a document serves as. */
  stems: string[]
  /** Whether such a document counts only with a signature or a seal. */
  signed?: boolean
}

/** Kinds of documents, the more specific first. */
export const kinds: EvidenceKind[] = [
  {
    kind: 'iou',
    label: { zh: '借条', en: 'IOU' },
    title: /借条|欠条|借据|\bI\.?O\.?U\b|promissory note/iu,
    body: /今借到|今欠|兹借|现借到|I (?:have )?borrowed/iu,
    stems: ['借条', '欠条', '借据', '债权凭证'],
    signed: true,
  },
  {
    kind: 'bank_transfer',
    label: { zh: '转账或银行流水', en: 'Bank transfer' },
    title: /转账|流水|回单|交易明细|汇款|bank statement|transfer|remittance/iu,
    body: /交易流水号|收款账[户号]|付款账[户号]|beneficiary/iu,
    stems: ['转账', '流水', '付款凭证', '付款记录', '收款记录', '取款', '回单', '汇款', '放款凭证'],
  },
  {
    kind: 'payslip',
    label: { zh: '工资条', en: 'Payslip' },
    title: /工资(?:条|单|表)|payslip|pay ?stub|payroll/iu,
    stems: ['工资条', '工资单'],
  },
  {
    kind: 'attendance',
    label: { zh: '考勤记录', en: 'Attendance record' },
    title: /考勤|打卡|排班|attendance|time ?sheet/iu,
    stems: ['考勤', '打卡', '加班审批'],
  },
  {
    kind: 'dismissal_notice',
    label: { zh: '解除或终止通知', en: 'Notice of termination' },
    title: /(?:解除|终止|辞退)[^，。\n]{0,12}(?:通知|决定|协议)|termination|dismissal/iu,
    stems: ['解除通知', '终止通知', '被迫解除', '离职证明', '协商解除'],
    signed: true,
  },
  {
    kind: 'demand_letter',
    label: { zh: '催告函', en: 'Demand letter' },
    title: /催(?:款|告|收|缴)|律师函|demand letter|reminder/iu,
    stems: ['催款', '催告', '催收', '律师函'],
  },
  {
    kind: 'accident_finding',
    label: { zh: '事故认定书', en: 'Accident finding' },
    title: /事故认定书|事故证明|accident (?:report|finding)/iu,
    stems: ['事故认定', '认定书'],
  },
  {
    kind: 'appraisal',
    label: { zh: '鉴定、评估或检测意见', en: 'Expert opinion' },
    title: /鉴定|评估报告|检测报告|检验报告|appraisal|expert opinion|inspection report/iu,
    stems: ['鉴定', '评估', '检测', '检验'],
  },
  {
    kind: 'medical_record',
    label: { zh: '病历、诊断或住院记录', en: 'Medical record' },
    title: /病历|诊断|出院|住院|门诊|medical record|diagnosis|discharge/iu,
    stems: ['病历', '诊断', '医疗记录', '住院'],
  },
  {
    kind: 'judgment',
    label: { zh: '判决、裁决或仲裁文书', en: 'Judgment or award' },
    title: /判决书|裁决书|调解书|裁定书|仲裁(?:申请书|委员会)|受理通知|judgment|award|ruling/iu,
    stems: ['判决', '裁决', '仲裁', '受理通知'],
  },
  {
    kind: 'certificate',
    label: { zh: '证件或登记证明', en: 'Certificate' },
    title:
      /结婚证|离婚证|出生医学证明|死亡证明|户口簿|不动产权|产权证|营业执照|登记证|注册证|许可证|certificate|registration/iu,
    stems: [
      '结婚证',
      '婚姻登记',
      '出生',
      '死亡证明',
      '户口',
      '不动产',
      '产权',
      '登记',
      '证书',
      '许可证',
    ],
  },
  {
    kind: 'reconciliation',
    label: { zh: '对账单或结算单', en: 'Statement of account' },
    title: /对账单|结算(?:单|书|协议)|reconciliation|statement of account/iu,
    stems: ['对账', '结算'],
    signed: true,
  },
  {
    kind: 'delivery_note',
    label: { zh: '送货、签收或交接单', en: 'Delivery note' },
    title:
      /送货单|发货单|签收单|收货|验收(?:单|报告|记录)|交接(?:单|清单)|delivery note|handover/iu,
    stems: ['送货', '签收', '交接', '验收', '交货', '收货', '交付'],
  },
  {
    kind: 'receipt',
    label: { zh: '收据', en: 'Receipt' },
    title: /收据|收条|\breceipt\b/iu,
    body: /今收到/u,
    stems: ['收据', '收条', '付款凭证'],
    signed: true,
  },
  {
    kind: 'invoice',
    label: { zh: '发票或票据', en: 'Invoice' },
    title: /发票|票据|费用清单|invoice|\bbill\b/iu,
    stems: ['发票', '票据', '单据', '费用'],
  },
  {
    kind: 'will',
    label: { zh: '遗嘱', en: 'Will' },
    title: /遗嘱|\blast will\b|testament/iu,
    stems: ['遗嘱'],
    signed: true,
  },
  {
    kind: 'witness_statement',
    label: { zh: '证人证言', en: 'Witness statement' },
    title: /证人|证言|情况说明|witness/iu,
    stems: ['证人', '证言'],
    signed: true,
  },
  {
    kind: 'police_record',
    label: { zh: '报警或处罚记录', en: 'Police record' },
    title: /报警|接警|出警|询问笔录|告诫书|处罚决定|police/iu,
    stems: ['报警', '告诫书', '处罚'],
  },
  {
    kind: 'chat_record',
    label: { zh: '聊天记录', en: 'Chat record' },
    title: /聊天|微信|短信|邮件|对话|chat|wechat|whatsapp|messages|e-?mail/iu,
    stems: ['聊天', '短信', '邮件', '群消息', '承诺'],
  },
  {
    kind: 'recording',
    label: { zh: '录音或其文字稿', en: 'Recording' },
    title: /录音|通话|recording|transcript/iu,
    stems: ['录音'],
  },
  {
    kind: 'contract',
    label: { zh: '合同或协议', en: 'Contract' },
    title: /合同|协议|订单|contract|agreement|lease|purchase order/iu,
    stems: ['合同', '协议', '条款', '订单'],
    signed: true,
  },
]

export const otherKind: EvidenceKind = {
  kind: 'document',
  label: { zh: '文件', en: 'Document' },
  title: /(?!)/,
  stems: [],
}
export const imageKind: EvidenceKind = {
  kind: 'image',
  label: { zh: '照片或图片', en: 'Picture' },
  title: /(?!)/,
  stems: ['照片', '截图'],
}

/** Characters at the start of a document in which its title is found. */
const titleChars = 120

/** Kind of a document: by its name, else by its first lines, else by its text. */
export function classifyFile(
  filename: string | null,
  text: string,
  contentType: string | null,
): EvidenceKind {
  const head = text.trimStart().slice(0, titleChars)
  return (
    kinds.find(({ title }) => title.test(filename ?? '')) ??
    kinds.find(({ title }) => title.test(head)) ??
    kinds.find(({ body }) => body?.test(text)) ??
    (contentType?.startsWith('image/') ? imageKind : otherKind)
  )
}
