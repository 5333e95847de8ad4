/** Heads of damages, which many causes have in common. They say what is claimed, not why. */
const damages =
  /(?:医疗|医药|住院|治疗|护理|误工|营养|交通|修理|维修|修车|精神(?:损害|损失))(?:费用?|抚慰金|赔偿金?)|(?:租金|装修|房租)损失|\b(?:medical|hospital) (?:bills?|costs?|expenses)\b/giu

/** Replaces heads of damages by a mark that no phrase contains. */
export const maskDamages = (text: string): string => text.replace(damages, '＿')

/** True for a phrase that is a head of damages itself. */
export const isDamages = (phrase: string): boolean => maskDamages(phrase) !== phrase

/** A clause that states what the person wants. */
const claims =
  /(?<=^|[，。；！？\n])\s*(?:我|我们|本人)?(?:现在|现)?(?:要求|请求|想要?|要|希望)[^，。；：:！？\n]{2,40}(?:[，。；：:！？\n]|$)|\bI (?:want|demand|would like)\b[^.;:,]{3,80}[.;:,]\s*/giu

/** Letters that a story needs at least to be scored without its claim. */
const minStoryChars = 8

/** The text without the clauses that state the claim; the whole text if nothing else is left. */
export function withoutClaim(text: string): string {
  const story = text.replace(claims, ' ')
  return (story.match(/\p{L}/gu)?.length ?? 0) >= minStoryChars ? story : text
}
