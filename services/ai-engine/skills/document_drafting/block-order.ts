import type { Block } from './document.ts'

/** Whether a part stays on the page of the next one: 此致 and the court with the signature after them. */
export function staysWithNext(blocks: Block[], index: number): boolean {
  const [next, afterNext] = [blocks[index + 1], blocks[index + 2]]
  if (blocks[index]?.type !== 'paragraph' || !next) return false
  if (next.type === 'signature') return true
  return next.type === 'paragraph' && next.flush === true && afterNext?.type === 'signature'
}
