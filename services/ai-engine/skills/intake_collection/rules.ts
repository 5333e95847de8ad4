import { amountsIn } from '../_shared/amounts.ts'
import { splitClauses } from '../_shared/clauses.ts'
import { datesIn } from '../_shared/dates.ts'
import { detectCause } from './causes.ts'
import type { Fields } from './fields.ts'

/** Extracts fields from the person's texts by rules. */
export function extractByRules(texts: string[], today: string): Fields {
  const text = texts.join('\n')
  const found: Fields = {
    cause_of_action_code: detectCause(text),
    what_happened: storyIn(text),
    client_role: roleIn(text),
    aim: aimIn(text),
    ...extractAmounts(text),
    event_date: datesIn(text, today).find(({ date }) => date.length === 10)?.date,
    opposing_party: partyIn(text),
    evidence: evidenceIn(text),
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined))
}

/** Returns a text that is long enough to be a story: 20 Han characters or 12 words. */
function storyIn(text: string): string | undefined {
  const han = text.match(/\p{Script=Han}/gu)?.length ?? 0
  const words = text.match(/\p{Script=Latin}+/gu)?.length ?? 0
  return han >= 20 || words >= 12 ? text.slice(0, 4_000) : undefined
}

const claimantPattern =
  /借给|欠我|拖欠|我想?要?(?:起诉|告|离婚|索赔)|要回|追讨|我被.{0,8}(?:辞退|解雇|开除|打|撞|骗)|(?:辞退|解雇|开除|撞|打)了?我|不(?:给|发)我?.{0,4}工资|\bI (?:lent|want to sue|would like to sue|was (?:fired|dismissed|laid off|hit|beaten))|owes? me|(?:fired|dismissed|hit) me|(?:did not|didn't|has not|hasn't|won't|refuses to) pay me/iu
const respondentPattern =
  /(?:起诉|告)了?我|被起诉|被告了|(?:收到|接到).{0,6}(?:传票|起诉状|应诉)|(?:要求|让|叫)我(?:还|赔|支付)|我欠|我借了|我被.{0,4}(?:拘留|逮捕)|\b(?:sued|suing|sues) me\b|I was sued|I am being sued|summons|\bI owe\b|I (?:was|am) (?:arrested|detained)/iu

function roleIn(text: string): Fields['client_role'] {
  const [claiming, defending] = [claimantPattern.test(text), respondentPattern.test(text)]
  if (claiming === defending) return undefined
  return claiming ? 'claimant' : 'respondent'
}

const aimPattern =
  /我?(?:想|要|希望|请求|要求|打算|诉求)|要回|追讨|\bI (?:want|would like|hope|wish)|I'd like|my (?:goal|aim)|get .{0,20}back/iu
/** Inquiries are not aims. */
const inquiryPattern =
  /咨询|请教|问(?:一下|问|您|你)?|了解|要求我|要我|\bask\b|consult|question|to know|want(?:s|ed)? me\b/iu

function aimIn(text: string): string | undefined {
  const clauses = splitClauses(text).filter(
    (clause) => aimPattern.test(clause) && !inquiryPattern.test(clause),
  )
  return clauses.length > 0 ? clauses.join('；').slice(0, 1_000) : undefined
}

const wagePattern = /月薪|工资|月收入|每月|每个月|salary|wages?|per month|a month|monthly/iu
const disputePattern =
  /借|欠|货款|租金|押金|赔|价款|工程款|费用|lent|lend|loan|owe|borrow|price|rent|deposit|compensat|worth/iu
const repaidPattern = /还了|已还|归还了|还过|repaid|paid back|returned/iu

function extractAmounts(text: string): Fields {
  const found = splitClauses(text).flatMap((clause) =>
    amountsIn(clause).map(({ amount }) => ({ amount, clause })),
  )
  const others = found.filter(
    ({ clause }) => !wagePattern.test(clause) && !repaidPattern.test(clause),
  )
  const disputed = others.find(({ clause }) => disputePattern.test(clause)) ?? others[0]
  return {
    amount: disputed?.amount,
    monthly_wage: found.find(({ clause }) => wagePattern.test(clause))?.amount,
  }
}

const partyPatterns = [
  /(?:对方|被告|被申请人|债务人|公司名称?)(?:名称|姓名)?(?:是|为|叫|：|:)\s*([^，。,.;；\s]{2,40})/u,
  /借给了?(?:我的?)?(?:朋友|同事|同学|亲戚|邻居)?([\p{Script=Han}]{2,3}?)(?=\d|[，,。]|人民币|[一二两三四五六七八九十]+[万千百])/u,
  /\blent (?:my (?:friend|colleague|neighbou?r|cousin) )?([A-Z]\w+(?: [A-Z]\w+)?)/u,
  /\b([A-Z]\w+(?: [A-Z]\w+)?) owes me/u,
]

function partyIn(text: string): string | undefined {
  const found = partyPatterns.map((pattern) => pattern.exec(text)?.[1]).find((name) => name)
  return found && !/^(?:他|她|它|对方|朋友|别人|我)/u.test(found) ? found : undefined
}

const evidencePatterns: [string, RegExp][] = [
  ['written_agreement', /借条|欠条|合同|协议|收条|IOU|contract|agreement/iu],
  [
    'payment_record',
    /转账|流水|收据|发票|工资条|transfer|bank statement|receipt|invoice|payslip/iu,
  ],
  ['chat_record', /聊天记录|微信|短信|邮件|chats?\b|messages|e-?mails?/iu],
  ['recording', /录音|录像|照片|视频|recording|photo|video/iu],
  ['witness', /证人|witness/iu],
  ['official_document', /认定书|判决书|鉴定|仲裁裁决|police report|judgment/iu],
]
const negationPattern = /没有|没签|没|无|未签|丢了|\bno\b|without|never|not have|n't have|lost/iu

function evidenceIn(text: string): string[] | undefined {
  const clauses = splitClauses(text).filter((clause) => !negationPattern.test(clause))
  const evidence = evidencePatterns.filter(([, pattern]) =>
    clauses.some((clause) => pattern.test(clause)),
  )
  return evidence.length > 0 ? evidence.map(([kind]) => kind) : undefined
}
