export type Language = 'zh' | 'en'

/** Texts of this service that a person reads, in the language in which they write. */
const texts = {
  turnInProgress: {
    zh: '本次会话正在回复上一条消息，请等它结束。',
    en: 'Another turn is running in this session. Wait for its end.',
  },
  turnNotStarted: {
    zh: '暂时无法开始回复，请用同一个 client_message_id 重新发送。',
    en: 'The turn could not start. Send it again with the same client_message_id.',
  },
  sessionArchived: {
    zh: '会话已归档，不能再修改。',
    en: 'The session is archived and cannot be changed.',
  },
  noPendingCard: {
    zh: '本次会话没有待回答的问题卡。',
    en: 'No card is pending in this session.',
  },
  cardPending: {
    zh: '请先回答待回答的问题卡。',
    en: 'Answer the pending card first.',
  },
  otherCardPending: {
    zh: '待回答的是另一张问题卡，请重新读取。',
    en: 'Another card is pending. Read the pending card again.',
  },
  cardRequired: {
    zh: '这张问题卡必须回答，不能跳过。',
    en: 'This card must be answered; it cannot be skipped.',
  },
  cardAssigned: {
    zh: '这张问题卡由另一位用户回答。',
    en: 'The card is assigned to another user.',
  },
  cardReminder: {
    zh: '您还有一张问题卡没有回答。',
    en: 'A card is still waiting for your answer.',
  },
  cardExpired: {
    zh: '问题卡已过期。',
    en: 'The card has expired.',
  },
  engineUnavailable: {
    zh: '回复服务暂时没有响应，恢复后会继续本次回复。',
    en: 'The engine does not respond. The turn continues when it is available again.',
  },
  runLost: {
    zh: '本次回复已丢失，请重新发送消息。',
    en: 'The run of this turn is lost. Send the message again.',
  },
  stopped: { zh: '已停止回复。', en: 'The reply was stopped.' },
  cardSkipped: { zh: '跳过', en: 'Skipped' },
  yes: { zh: '是', en: 'Yes' },
  no: { zh: '否', en: 'No' },
  attached: { zh: '见附件', en: 'attached' },
  unknownAnswer: { zh: '不知道', en: 'I don’t know' },
} satisfies Record<string, Record<Language, string>>

export type TextKey = keyof typeof texts

export const text = (key: TextKey, language: Language | null): string =>
  texts[key][language ?? 'en']

/** Language of a text by its letters; null without letters. One Han character outweighs two Latin letters. */
export function detectLanguage(content: string): Language | null {
  const han = content.match(/\p{Script=Han}/gu)?.length ?? 0
  const latin = content.match(/\p{Script=Latin}/gu)?.length ?? 0
  if (han + latin === 0) return null
  return han * 2 >= latin ? 'zh' : 'en'
}
