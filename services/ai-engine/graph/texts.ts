import type { Failure } from '../run/failure.ts'
import type { Language } from '../skills/_shared/language.ts'
import type { State } from './state.ts'

/** Language of the person: that of the last message with letters. Default: Chinese. */
export const personLanguage = ({ language }: Pick<State, 'language'>): Language => language ?? 'zh'

export const restartedText: Record<Language, string> = {
  zh: '回答中断，重新开始。',
  en: 'The answer was interrupted and starts again.',
}

/** Chinese texts of failures, by code. The English text is the message of the failure. */
const failureTexts: Record<string, string> = {
  CANCELLED: '本次处理已取消。',
  STOPPED: '本次处理已停止。',
  RUN_ABANDONED: '本次处理多次中断，已放弃。请重新发送消息。',
  TOO_MANY_STEPS: '本次处理的步骤过多，已结束。请重新发送消息。',
  RUN_TIMEOUT: '本次处理超时，已结束。请重新发送消息。',
  STEP_TIMEOUT: '其中一步超时，本次处理已结束。请重新发送消息。',
  CARD_EXPIRED: '问题卡没有在期限内回答。',
  SYNC_REFUSED: '处理结果未能写入案件，请联系管理员。',
  VERSION_UNSUPPORTED: '系统已升级，本次处理无法继续。请重新发送消息。',
  UNKNOWN_SKILL: '所需的技能已不可用。请重新发送消息。',
  SKILL_INPUT: '缺少开始这项工作所需的信息。',
  SKILL_OUTPUT: '技能返回的结果无效，请联系管理员。',
  SKILL_CARD: '技能给出的问题卡无效，请联系管理员。',
  SKILL_FAILED: '这项工作未能完成，请稍后再试。',
  UPSTREAM_UNAVAILABLE: '所需的服务暂时没有响应，请稍后再试。',
  BUDGET_EXCEEDED: '模型用量已达上限，请联系管理员。',
}

/** Returns a failure with its message in the language of the person. */
export function localizeFailure({ code, message }: Failure, language: Language): Failure {
  const translated = language === 'zh' ? failureTexts[code] : undefined
  return { code, message: translated ?? message }
}
