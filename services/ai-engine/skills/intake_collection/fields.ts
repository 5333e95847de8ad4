import * as z from 'zod'
import type { Question } from '../../card.ts'
import type { Bilingual } from '../_shared/language.ts'

const FieldText = z.string().trim().min(1).max(4_000)
const MoneyAmount = z.number().min(0).max(1e13)
const Day = z.iso.date()
const YesNo = z.boolean()

/** Fields of the intake with their schemas. */
export const fieldSchemas = {
  cause_of_action_code: z.string().regex(/^[\w.:-]{1,200}$/),
  what_happened: FieldText,
  client_role: z.enum(['claimant', 'respondent']),
  aim: FieldText,
  amount: MoneyAmount,
  monthly_wage: MoneyAmount,
  event_date: Day,
  has_children: YesNo,
  injured: YesNo,
  evidence: z.array(z.string().min(1).max(200)).max(50),
  opposing_party: FieldText,
  evidence_files: z.array(z.string().min(1).max(200)).max(200),
  employment_start: Day,
  written_contract: YesNo,
  interest_agreed: YesNo,
}

export type FieldKey = keyof typeof fieldSchemas
export const fieldKeys = Object.keys(fieldSchemas) as FieldKey[]
export const isFieldKey = (key: string): key is FieldKey => Object.hasOwn(fieldSchemas, key)

/** Values by field. Null: the person had no answer. Absent: not requested yet. */
export type Fields = {
  [Key in FieldKey]?: z.output<(typeof fieldSchemas)[Key]> | null | undefined
}

export interface Field {
  label: Bilingual
  question: Bilingual
  input: Question['input_type']
  options?: { value: string; label: Bilingual }[]
}

const evidenceKinds: Record<string, Bilingual> = {
  written_agreement: { zh: '合同、协议、借条等书面文件', en: 'Contract, IOU or other writing' },
  payment_record: {
    zh: '转账记录、银行流水、收据、发票',
    en: 'Transfers, bank statements, receipts',
  },
  chat_record: { zh: '微信、短信、邮件等聊天记录', en: 'Chats, messages, e-mail' },
  recording: { zh: '录音、录像、照片', en: 'Recordings, photos, videos' },
  witness: { zh: '证人', en: 'Witnesses' },
  official_document: {
    zh: '机关文书（认定书、判决、鉴定等）',
    en: 'Official papers (findings, judgments)',
  },
  none: { zh: '暂时没有', en: 'None yet' },
}

const roles: Record<string, Bilingual> = {
  claimant: {
    zh: '提出请求的一方（原告、申请人、受害人）',
    en: 'The side that claims (plaintiff, applicant)',
  },
  respondent: {
    zh: '被要求的一方（被告、被申请人、嫌疑人）',
    en: 'The side claimed against (defendant)',
  },
}

const buildOptions = (labels: Record<string, Bilingual>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }))

const fields: Record<FieldKey, Field> = {
  cause_of_action_code: {
    label: { zh: '案由', en: 'Kind of matter' },
    question: { zh: '这是哪一类事项？', en: 'What kind of matter is it?' },
    input: 'select',
  },
  event_date: {
    label: { zh: '事情发生的日期', en: 'The day it happened' },
    question: { zh: '事情发生在哪一天？', en: 'On which day did it happen?' },
    input: 'date',
  },
  what_happened: {
    label: { zh: '经过', en: 'What happened' },
    question: { zh: '请说明事情的经过。', en: 'What happened?' },
    input: 'textarea',
  },
  client_role: {
    label: { zh: '您的立场', en: 'Your side' },
    question: { zh: '您在此事中是哪一方？', en: 'Which side are you on?' },
    input: 'select',
    options: buildOptions(roles),
  },
  aim: {
    label: { zh: '目标', en: 'Aim' },
    question: { zh: '您希望达到什么结果？', en: 'What do you want to achieve?' },
    input: 'textarea',
  },
  amount: {
    label: { zh: '涉及金额（元）', en: 'Amount in dispute (CNY)' },
    question: { zh: '涉及的金额是多少元？', en: 'How much money is it about, in CNY?' },
    input: 'money',
  },
  monthly_wage: {
    label: { zh: '月工资（元）', en: 'Monthly wage (CNY)' },
    question: { zh: '月工资是多少元？', en: 'What is the monthly wage, in CNY?' },
    input: 'money',
  },
  has_children: {
    label: { zh: '有未成年子女', en: 'Minor children' },
    question: { zh: '是否有未成年子女？', en: 'Are there minor children?' },
    input: 'boolean',
  },
  injured: {
    label: { zh: '有人受伤', en: 'Someone was injured' },
    question: { zh: '是否有人受伤？', en: 'Was anyone injured?' },
    input: 'boolean',
  },
  evidence: {
    label: { zh: '现有证据', en: 'Evidence at hand' },
    question: { zh: '您手上有哪些证据？', en: 'What evidence do you have at hand?' },
    input: 'multi_select',
    options: buildOptions(evidenceKinds),
  },
  opposing_party: {
    label: { zh: '对方', en: 'The other side' },
    question: { zh: '对方是谁（姓名或名称）？', en: 'Who is the other side (name)?' },
    input: 'text',
  },
  evidence_files: {
    label: { zh: '材料', en: 'Files' },
    question: { zh: '如有材料，请上传。', en: 'Upload what papers you have.' },
    input: 'file',
  },
  employment_start: {
    label: { zh: '入职日期', en: 'Start of employment' },
    question: { zh: '哪一天入职？', en: 'When did the employment begin?' },
    input: 'date',
  },
  written_contract: {
    label: { zh: '有书面合同', en: 'Written contract' },
    question: { zh: '是否签了书面合同？', en: 'Is there a written contract?' },
    input: 'boolean',
  },
  interest_agreed: {
    label: { zh: '约定了利息', en: 'Interest agreed' },
    question: { zh: '是否约定了利息？', en: 'Was interest agreed?' },
    input: 'boolean',
  },
}

export const getField = (key: FieldKey): Field => fields[key]

/** The question for the cause: the causes of knowledge-service, and something else. */
export const causeField = (
  causes: { code: string; name: string; name_en?: string | null | undefined }[],
): Field => ({
  ...fields.cause_of_action_code,
  options: [
    // A card has at most 100 options.
    ...causes.slice(0, 99).map(({ code, name, name_en }) => ({
      value: code,
      label: { zh: name, en: name_en ?? name },
    })),
    { value: 'other', label: otherCause },
  ],
})

export const otherCause: Bilingual = { zh: '其他', en: 'Something else' }

/** Parses fields from stored data or answers. Invalid values become null. */
export function parseFields(source: Record<string, unknown>): Fields {
  return Object.fromEntries(
    fieldKeys
      .filter((key) => source[key] !== undefined)
      .map((key) => [key, fieldSchemas[key].safeParse(source[key]).data ?? null]),
  )
}
