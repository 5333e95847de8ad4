import { amountsIn } from '../_shared/amounts.ts'
import { datesIn } from '../_shared/dates.ts'
import type { Bilingual } from '../_shared/language.ts'
import type { Fields } from '../intake_collection/fields.ts'
import type { EvidenceKind } from './kinds.ts'

/** What weakens a piece of evidence, by code. */
export const weaknessLabels = {
  unreadable: { zh: '内容无法读取', en: 'the content cannot be read' },
  unsigned: { zh: '未见签名或盖章', en: 'no signature or seal' },
  copy: { zh: '不是原件', en: 'not an original' },
  undated: { zh: '没有日期', en: 'no date' },
  another_party: { zh: '未出现对方姓名或名称', en: 'does not name the other side' },
  amount_differs: { zh: '金额与主张不一致', en: 'states another amount' },
  truncated: { zh: '内容过长，未全部读取', en: 'too long, not read to the end' },
} as const satisfies Record<string, Bilingual>
export type Weakness = keyof typeof weaknessLabels
export const weaknessCodes = Object.keys(weaknessLabels) as Weakness[]

const filled = '[：:\\s]\\s*(?![_＿\\s]*(?:$|\\n|日期|\\d{4}))[^\\s_＿：:]'
const signatureLabel = '(?:签名|签字|签章|盖章|捺印|signature|signed(?: by)?)'
const signerLabel =
  '(?:借款人|欠款人|出具人|收款人|立遗嘱人|证明人|证人|承诺人|borrower|debtor|received by)'
const isSigned = new RegExp(
  `${signatureLabel}[)）]?${filled}|[（(](?:签名|签字|签章|盖章|公章|手印|seal|signed)[)）]|公章|已签名|并签名`,
  'imu',
)
const namesSigner = new RegExp(`${signerLabel}(?:[（(][^)）]{0,10}[)）])?${filled}`, 'imu')
const isUnsigned = /未签(?:名|字|署)|没有签名|无签名|unsigned|not signed/iu
const copyPattern =
  /复印件|影印件|扫描件|翻拍|截图|截屏|photocopy|\bcopy of\b|\(copy\)|screenshot|\bscan\b/iu
const harmlessCopy = /身份证(?:的)?复印件|附[^，。\n]{0,8}复印件/gu

export interface ReadFile {
  filename: string | null
  text: string | null
  truncated: boolean
}

/** Finds by rules what weakens a document. */
export function findWeaknesses(
  { filename, text, truncated }: ReadFile,
  kind: EvidenceKind,
  fields: Fields,
  today: string,
): Weakness[] {
  if (text === null || text.trim() === '') return ['unreadable']
  const edges = `${filename ?? ''}\n${text.slice(0, 200)}\n${text.slice(-200)}`
  return [
    ...(kind.signed && lacksSignature(kind, text) ? (['unsigned'] as const) : []),
    ...(copyPattern.test(edges.replace(harmlessCopy, '')) ? (['copy'] as const) : []),
    ...(datesIn(text, today).length === 0 ? (['undated'] as const) : []),
    ...(lacksParty(text, fields) ? (['another_party'] as const) : []),
    ...(differsInAmount(kind, text, fields) ? (['amount_differs'] as const) : []),
    ...(truncated ? (['truncated'] as const) : []),
  ]
}

/** In a contract the names of the parties are no signatures. */
function lacksSignature({ kind }: EvidenceKind, text: string): boolean {
  if (isUnsigned.test(text)) return true
  if (isSigned.test(text)) return false
  return kind === 'contract' || !namesSigner.test(text)
}

function lacksParty(text: string, { opposing_party: party }: Fields): boolean {
  if (!party || party.length > 30) return false
  return !text.toLowerCase().replace(/\s/g, '').includes(party.toLowerCase().replace(/\s/g, ''))
}

/** Only documents that state one sum are compared; a statement of account holds many. */
function differsInAmount({ kind }: EvidenceKind, text: string, { amount }: Fields): boolean {
  if (amount == null || (kind !== 'iou' && kind !== 'receipt')) return false
  const stated = new Set(amountsIn(text).map((each) => each.amount))
  return stated.size > 0 && !stated.has(amount)
}
