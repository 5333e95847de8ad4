import { type Page, request, withQuery } from '../../api/client.ts'
import type { ConsultationMessage } from '../../api/types.ts'

export const sessionsPath = '/consultations-service/api/v1/consultations/sessions'
const messagesPerPage = 200

/** Loads the messages of a session after the full pages that are known. Returns all messages. */
export async function loadMessages(
  sessionId: string,
  known: ConsultationMessage[],
  signal: AbortSignal,
): Promise<ConsultationMessage[]> {
  const messages = known.slice(0, known.length - (known.length % messagesPerPage))
  for (let page = messages.length / messagesPerPage + 1; ; page++) {
    const query = { page, size: messagesPerPage }
    const path = withQuery(`${sessionsPath}/${sessionId}/messages`, query)
    const loaded = await request<Page<ConsultationMessage>>(path, { signal })
    messages.push(...loaded.items)
    if (page >= loaded.total_pages) return messages
  }
}
