import type { Card } from '../../api/types.ts'
import type { StreamEvent } from './event-stream.ts'

export interface Task {
  id: string
  title: string
  status: string | null
}

/** State of one turn of the assistant, built from its events. */
export interface Turn {
  /** Names the turn on the page, from before its first event until its message is stored. */
  key: string
  id: string | null
  lastEventNo: number
  text: string
  tasks: Task[]
  progress: string | null
  card: Card | null
  error: { code: string; message: string } | null
  /** The stored message of the turn, once it has ended. */
  messageId: string | null
  isEnded: boolean
}

let turnCount = 0

export const newTurn = (): Turn => ({
  key: `turn ${++turnCount}`,
  id: null,
  lastEventNo: 0,
  text: '',
  tasks: [],
  progress: null,
  card: null,
  error: null,
  messageId: null,
  isEnded: false,
})

/** Id for Last-Event-ID: the stream continues after it. */
export const lastEventIdOf = ({ id, lastEventNo }: Turn) =>
  id === null ? undefined : `${id}:${lastEventNo}`

/** Events between the last one and this one are missing: the stream must be opened again. */
export class MissingEvents extends Error {}

/**
 * Applies an event. An event that was applied before changes nothing, so that a stream that starts too early does
 * not double a word. The first event of another turn replaces the state.
 */
export function applyEvent(before: Turn, { id, event, data }: StreamEvent): Turn {
  const [turnId, no] = splitId(id)
  const turn = turnId === before.id ? before : { ...newTurn(), key: before.key, id: turnId }
  if (no <= turn.lastEventNo) return before
  if (no !== turn.lastEventNo + 1) throw new MissingEvents(id)
  return { ...turn, lastEventNo: no, ...reduceEvent(turn, event, data) }
}

function splitId(id: string): [turn: string, no: number] {
  const at = id.lastIndexOf(':')
  return [id.slice(0, at), Number(id.slice(at + 1))]
}

// biome-ignore lint/suspicious/noExplicitAny: the event decides the form of its data.
function reduceEvent(turn: Turn, event: string, data: any): Partial<Turn> {
  switch (event) {
    case 'delta':
      return { text: turn.text + data.content }
    case 'progress':
      return { progress: data.message ?? null }
    case 'task_start':
      return { tasks: [...turn.tasks, { id: data.task_id, title: data.title, status: null }] }
    case 'task_end':
      return {
        tasks: turn.tasks.map((task) =>
          task.id === data.task_id ? { ...task, status: data.status } : task,
        ),
      }
    case 'card':
      return { card: data }
    case 'error':
      return { error: data }
    case 'end':
      return { isEnded: true, progress: null, messageId: data.message_id ?? null }
    default:
      return {}
  }
}
