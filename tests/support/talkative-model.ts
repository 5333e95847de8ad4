import { type ModelReply, type ScriptedModel, scriptedModel } from './scripted-model.ts'

/** The text of the replies: 3,000 tokens that differ from each other. */
export const longAnswer = Array.from({ length: 3_000 }, (_, index) => `第${index + 1}点；`)

/** Failures after which the same request gets the full reply. */
const interruptions: ModelReply[] = [
  { say: longAnswer, disconnectAfter: 1_800 },
  { status: 429, headers: { 'retry-after': '0' } },
  { say: longAnswer.slice(0, 700), disconnectAfter: 699 },
  { status: 503 },
]

/** Failures that change the reply: silence, another text, refusals, invalid and endless data. */
export const hostileReplies: ModelReply[] = [
  { say: longAnswer, stallAfter: 900 },
  { say: [...longAnswer.slice(0, 400), '换一种说法：', ...longAnswer.slice(0, 1_200)] },
  { say: longAnswer.slice(0, 1_500), disconnectAfter: 1_499 },
  { status: 400 },
  { say: longAnswer.slice(0, 50), usage: null },
  { raw: 'data: {"choices":[{"delta":{"content":"半' },
  { call: [{ name: 'drop_tables', arguments: '{not json' }] },
  { say: '' },
]

/**
 * A model that is hard to use: a request for JSON is refused, the first reply calls two tools, and of
 * the long reply every second attempt fails at first. Replies depend on the request, not on the order
 * of requests, as other threads send requests concurrently. `replies` are used in turn with the failures.
 */
export function talkativeModel(replies: ModelReply[] = []): Promise<ScriptedModel> {
  const attempts = new Map<string, number>()
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
    const attempt = attempts.get(request) ?? 0
    attempts.set(request, attempt + 1)
    return attempt % 2 === 0 ? troubles[(attempt / 2) % troubles.length]! : { say: longAnswer }
  })
}
