/** What the person asks of the assistant: to write, draft or send a document. */
const requests = [
  /(?<=^|[。！？\n])\s*(?:我?想?请|麻烦)?(?:您|你)?帮(?:我|忙)[^。；：:，,]{0,30}(?:函|诉状|答辩状|申请书)[^。；：:，,]{0,6}[：:，,。；]/gu,
  /\b(?:please|can you|could you)\b[^.:]{0,20}\b(?:send|write|draft|prepare)\b[^.:]{0,80}[.:]\s*/giu,
]
/** What the person does not want the other side to know. */
const confidential =
  /[，,；;]?\s*(?:我)?(?:暂时|先|目前|还)?不(?:想|打算|准备)?(?:起诉|打官司)(?=[。，；]|$)|[,;]?\s*(?:but |and )?I do(?:n[’']t| not) want to (?:sue|go to court)(?: yet| for now)?(?=[.,;]|$)/giu

/** The story without what was said to the assistant alone. Documents are read by others. */
export function removeRequests(story: string): string {
  const told = [...requests, confidential].reduce((text, part) => text.replace(part, ''), story)
  return told.trim() === '' ? story : told.trim()
}
