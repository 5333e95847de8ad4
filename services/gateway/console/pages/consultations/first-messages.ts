/** First messages of sessions that were just created, sent when their page opens. */
export const firstMessages = new Map<string, { content: string; fileIds: string[] }>()
