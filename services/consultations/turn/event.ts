/** An event of a turn: its number within the turn (from 1) and its text without the `id` line. */
export interface TurnEvent {
  number: number
  text: string
}

/** The last event of a run, as the engine reported it. */
export interface RunEnd {
  output: string
  status: 'completed' | 'interrupted' | 'failed'
}

/** Numbers of the last events that a relay has processed: of the turn and of the engine's run. */
export interface Position {
  eventNo: number
  engineSeq: number
}

export type EventData = Record<string, unknown>

export const formatEvent = (event: string, data: unknown) =>
  `event: ${event}\ndata: ${JSON.stringify(data)}`

/** The event as a frame of the event stream. */
export const formatFrame = (turn_id: string, { number, text }: TurnEvent) =>
  `id: ${turn_id}:${number}\n${text}\n\n`

/** Parses the data of all events with this name. */
export function eventData(events: TurnEvent[], name: string): EventData[] {
  const prefix = `event: ${name}\ndata: `
  return events
    .filter(({ text }) => text.startsWith(prefix))
    .map(({ text }) => JSON.parse(text.slice(prefix.length)) as EventData)
}
