import { stripPlaybook } from '../playbook.ts'

/** An event for readers: its number within the turn, and the text of it but for its id. */
export interface TurnEvent {
  n: number
  line: string
}

/** How the engine ended the run. */
export interface RunEnd {
  output: string
  status: 'completed' | 'interrupted' | 'failed'
}

type Data = Record<string, unknown>

/** Nodes whose words are for the person. What others think aloud stays inside. */
const visibleNodes = new Set(['chat_respond'])
const publicEvents = new Set(['progress', 'task_start', 'task_end', 'card', 'result', 'error'])

export const formatEvent = (event: string, data: unknown) =>
  `event: ${event}\ndata: ${JSON.stringify(data)}`

/**
 * Turns the engine's lines into events for readers, from where a relay before has come to. The same lines
 * always make the same events, so that whoever goes on needs to know no more than the two numbers.
 */
export function makeTranslator({ n, engine_seq }: { n: number; engine_seq: number }) {
  let cardSeen = false
  return {
    /** Where it has come to. */
    get position() {
      return { n, engine_seq }
    },
    /** What these lines make; with `end` the run is over, and what follows it is nothing. */
    translate(texts: string[]): { lines: TurnEvent[]; end?: RunEnd } {
      const lines: TurnEvent[] = []
      for (const text of texts) {
        if (text === '') continue
        const { event, data } = JSON.parse(text) as { event: string; data: Data }
        const { seq, ...payload } = data
        if (typeof seq !== 'number' || seq <= engine_seq) continue
        engine_seq = seq
        if (event === 'end') return { lines, end: endOf(payload, cardSeen) }
        if (event === 'card') cardSeen = true
        const line = toPublicEvent(event, payload)
        if (line !== undefined) lines.push({ n: ++n, line })
      }
      return { lines }
    },
  }
}

function toPublicEvent(event: string, data: Data): string | undefined {
  if (event === 'token') {
    const { node, content } = data
    return visibleNodes.has(String(node)) && typeof content === 'string' && content !== ''
      ? formatEvent('delta', { content })
      : undefined
  }
  return publicEvents.has(event) ? formatEvent(event, stripPlaybook(data)) : undefined
}

const endOf = ({ output, status }: Data, cardSeen: boolean): RunEnd => ({
  output: typeof output === 'string' ? output : '',
  status:
    status === 'completed' || status === 'interrupted' || status === 'failed'
      ? status
      : cardSeen
        ? 'interrupted'
        : 'completed',
})

/** What was told in lines like these, of the events that are asked for. */
export function dataOf(lines: TurnEvent[], event: string): Data[] {
  const prefix = `event: ${event}\ndata: `
  return lines
    .filter(({ line }) => line.startsWith(prefix))
    .map(({ line }) => JSON.parse(line.slice(prefix.length)) as Data)
}

/** As it goes out. */
export const formatFrame = (turn_id: string, { n, line }: TurnEvent) =>
  `id: ${turn_id}:${n}\n${line}\n\n`
