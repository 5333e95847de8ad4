import type { CauseElement } from '../../cause-tools.ts'

/** Evidence types that each kind of evidence of the intake stands for. */
const typesByKind: Record<string, RegExp> = {
  written_agreement: /借条|欠条|合同|协议|凭证|收条/u,
  payment_record: /转账|流水|付款|收款|收据|发票|工资条/u,
  chat_record: /聊天|短信|邮件|微信/u,
  recording: /录音|录像|照片|视频/u,
  witness: /证人|证言/u,
  official_document: /认定书|判决|裁决|鉴定|证明/u,
}

/** True if the person says to have evidence of a type that serves the element. */
export const claimedEvidence = (element: CauseElement, kinds: unknown): boolean =>
  Array.isArray(kinds) &&
  kinds.some((kind) => {
    const pattern = typesByKind[String(kind)]
    return pattern !== undefined && element.evidence_types.some((type) => pattern.test(type))
  })
