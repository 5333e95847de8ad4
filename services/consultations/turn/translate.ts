import { stripPlaybook } from '../playbook.ts'
import { type Language, text } from '../texts.ts'
import { type EventData, formatEvent, type Position, type RunEnd, type TurnEvent } from './event.ts'

/** Nodes whose tokens are addressed to the person. Tokens of other nodes are internal. */
const visibleNodes = new Set(['chat_respond'])
const publicEvents = new Set(['progress', 'task_start', 'task_end', 'card', 'result', 'error'])

/**
 * Fast path: a visible token whose text needs no escapes, in the engine's order of fields. Its JSON string is copied
 * unchanged, which gives the same bytes as parsing and formatting it.
 */
const visibleToken =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings contain no raw control characters
  /^\{"event":"token","data":\{"node":"chat_respond","content":"([^"\\\u0000-\u001f]+)","seq":([1-9]\d{0,14})\}\}$/

/**
 * Translates the engine's lines into events of the turn, starting after `start`. The translation is
 * deterministic: a relay that takes over produces the same events from the two numbers and the turn's language.
 */
export function makeTranslator(start: Position, language: Language | null = null) {
  let { eventNo, engineSeq } = start
  let cardSeen = false
  const notable: TurnEvent[] = []
  return {
    /** The cards and errors so far, which the message of the turn contains. */
    notable: notable as readonly TurnEvent[],
    get position(): Position {
      return { eventNo, engineSeq }
    },
    /** Translates lines. With `end` the run is over; lines after it are ignored. */
    translate(lines: string[]): { events: TurnEvent[]; end?: RunEnd } {
      const events: TurnEvent[] = []
      for (const line of lines) {
        if (line === '') continue
        const token = visibleToken.exec(line)
        if (token) {
          const seq = Number(token[2])
          if (seq <= engineSeq) continue
          engineSeq = seq
          events.push({ number: ++eventNo, text: `event: delta\ndata: {"content":"${token[1]}"}` })
          continue
        }
        const { event, data } = JSON.parse(line) as { event: string; data: EventData }
        const { seq, ...payload } = data
        if (typeof seq !== 'number' || seq <= engineSeq) continue
        engineSeq = seq
        if (event === 'end') return { events, end: toRunEnd(payload, cardSeen) }
        if (event === 'card') cardSeen = true
        const translated = toPublicEvent(event, payload, language)
        if (translated === undefined) continue
        const translatedEvent = { number: ++eventNo, text: translated }
        events.push(translatedEvent)
        if (event === 'card' || event === 'error') notable.push(translatedEvent)
      }
      return { events }
    },
  }
}

function toPublicEvent(
  event: string,
  data: EventData,
  language: Language | null,
): string | undefined {
  if (event === 'token') {
    const { node, content } = data
    return visibleNodes.has(String(node)) && typeof content === 'string' && content !== ''
      ? formatEvent('delta', { content })
      : undefined
  }
  if (event === 'error' && data.code === 'STOPPED') {
    return formatEvent(event, { code: data.code, message: text('stopped', language) })
  }
  return publicEvents.has(event) ? formatEvent(event, stripPlaybook(data)) : undefined
}

const toRunEnd = ({ output, status }: EventData, cardSeen: boolean): RunEnd => ({
  output: typeof output === 'string' ? output : '',
  status:
    status === 'completed' || status === 'interrupted' || status === 'failed'
      ? status
      : cardSeen
        ? 'interrupted'
        : 'completed',
})
