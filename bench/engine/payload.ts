import { makeRandom } from '../support/random.ts'

/** State of every peer: a case file of 20 KB and a conversation that grows by one message per step. */
export interface Work {
  n: number
  document: Record<string, { text: string; note: string }>
  messages: { role: string; content: string }[]
}

export type Kind = 'compressible' | 'incompressible'

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const clause = '出借人与借款人约定借款期限届满后十日内一次性偿还本金及利息。'

const texts = new Map<string, string>()

/** Text of about the given number of bytes. Cached, so that generating it is not measured. */
function text(kind: Kind, bytes: number, seed: number): string {
  const key = `${kind} ${bytes} ${seed}`
  const text = texts.get(key) ?? makeText(kind, bytes, seed)
  texts.set(key, text)
  return text
}

function makeText(kind: Kind, bytes: number, seed: number): string {
  if (kind === 'compressible') {
    return `${seed} ${clause.repeat(Math.ceil(bytes / 93)).slice(0, bytes / 3)}`
  }
  const random = makeRandom(seed)
  return Array.from({ length: bytes }, () => letters[random.integerBelow(64)]).join('')
}

const paragraphs = 40

export const newWork = (kind: Kind): Work => ({
  n: 0,
  document: Object.fromEntries(
    Array.from({ length: paragraphs }, (_, index) => [
      `p${index}`,
      { text: text(kind, 480, index + 1), note: '' },
    ]),
  ),
  messages: [],
})

/** One step: adds a note to one paragraph and appends a message. */
export function step(kind: Kind, { n, document, messages }: Work): Work {
  const name = `p${n % paragraphs}`
  return {
    n: n + 1,
    document: { ...document, [name]: { ...document[name]!, note: text(kind, 100, 1_000 + n) } },
    messages: [...messages, { role: 'assistant', content: text(kind, 200, 5_000 + n) }],
  }
}
