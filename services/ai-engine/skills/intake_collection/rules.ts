import { splitClauses } from '../_shared/clauses.ts'
import { clientRoleIn } from '../_shared/client-role.ts'
import type { Fields } from './fields.ts'
import { readStatements } from './stated.ts'

/** Extracts fields other than figures and the cause from the person's texts by rules. */
export function extractByRules(texts: string[]): Fields {
  const text = texts.join('\n')
  const found: Fields = {
    ...readStatements(text),
    what_happened: storyIn(text),
    client_role: clientRoleIn(text),
    aim: aimIn(text),
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
