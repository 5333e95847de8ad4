import { type ModelReply, type ScriptedModel, scriptedModel } from './scripted-model.ts'

/** The text of the replies: 3,000 tokens that differ from each other. */
export const longAnswer = Array.from({ length: 3_000 }, (_, index) => `第${index + 1}点；`)

/** Failures after which the same request gets the full reply. */
export const interruptions: ModelReply[] = [
  { say: longAnswer, disconnectAfter: 1_800 },
  { status: 429, headers: { 'retry-after': '0' } },
  { say: longAnswer.slice(0, 700), disconnectAfter: 699 },
  { status: 503 },
]

/** Failures that change the reply: silence, another text, truncation, refusals and invalid data. */
export const hostileReplies: ModelReply[] = [
  { say: longAnswer, stallAfter: 900 },
  { say: [...longAnswer.slice(0, 400), '换一种说法：', ...longAnswer.slice(0, 1_200)] },
  { say: longAnswer.slice(0, 1_500), disconnectAfter: 1_499 },
  { status: 400 },
  { say: longAnswer.slice(0, 50), usage: null },
  { raw: 'data: {"choices":[{"delta":{"content":"半' },
  { call: [{ name: 'drop_tables', arguments: '{not json' }] },
  { say: '' },
  { say: longAnswer.slice(0, 1_000), finish: 'length' },
  { say: '抱歉，我无法回答这个问题。', finish: 'content_filter' },
  {
    call: Array.from({ length: 40 }, () => ({ name: 'search_law', arguments: { query: '时效' } })),
  },
]

/**
 * A model that is hard to use: a request for JSON is refused, the first reply calls two tools, and of
 * the long reply every second attempt fails. The failures are the interruptions and `replies`, used in
 * turn; each new request starts with the next one, so that a few conversations meet all of them.
 */
export function talkativeModel(
  replies: ModelReply[] = [],
  onTrouble: (index: number) => void = () => {},
): Promise<ScriptedModel> {
  const requests = new Map<string, { first: number; attempts: number }>()
  const troubles = [...interruptions, ...replies]
  return scriptedModel((body): ModelReply => {
    if (body.response_format) return { status: 400 }
    if (!body.messages.some(({ role }: { role: string }) => role === 'tool') && body.tools)
      return {
        call: [
          { name: 'recall_memory', arguments: { query: '时效' } },
          { name: 'search_law', arguments: { query: '诉讼时效' } },
        ],
      }
    const request = JSON.stringify(body.messages)
    const seen = requests.get(request) ?? { first: requests.size, attempts: 0 }
    requests.set(request, seen)
    const attempt = seen.attempts++
    if (attempt % 2 === 1) return { say: longAnswer }
    const trouble = troubles[(seen.first + attempt / 2) % troubles.length]!
    onTrouble(troubles.indexOf(trouble))
    return trouble
  })
}
