import { type ModelReply, type ScriptedModel, scriptedModel } from './scripted-model.ts'

/** The text of the answers: 3,000 tokens that differ from each other. */
export const longAnswer = Array.from({ length: 3_000 }, (_, index) => `第${index + 1}点；`)

/**
 * A model that is hard to use: a request for JSON is refused, the first answer calls two tools, and of
 * the long answer every second attempt breaks off in the middle, falls silent or is refused at first.
 * Replies depend on the request, not on the order of requests, as other threads ask at the same time.
 */
export function talkativeModel(): Promise<ScriptedModel> {
  const attempts = new Map<string, number>()
  const troubles: ModelReply[] = [
    { say: longAnswer, disconnectAfter: 1_800 },
    { status: 429, headers: { 'retry-after': '0' } },
    { say: longAnswer.slice(0, 700), disconnectAfter: 699 },
    { status: 503 },
  ]
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
