import type { RunEvent } from '../store/commit.ts'

export type EventName =
  | 'token'
  | 'progress'
  | 'task_start'
  | 'task_end'
  | 'card'
  | 'result'
  | 'error'
  | 'end'
export type EventData = Record<string, unknown>
export type NewEvent = [EventName, EventData]

interface EmittedStream {
  skill: unknown
  /** All text that clients received under this key. */
  all: string
  /** The part of `all` since the last restart: the text of the current reply. */
  current: string
  /** Length of the prefix of `current` that the present attempt has emitted. */
  position: number
  /** True after a restart marker without text: the next text starts a new paragraph. */
  restarted: boolean
  /** Progress events, as JSON, and the number of them that the present attempt has emitted. */
  progress: string[]
  progressPosition: number
}

const separator = '\n\n'

const streamKey = ({ node, skill }: EventData) => `${String(node)} ${String(skill ?? '')}`

/**
 * Suppresses what earlier attempts at a step have emitted already. Attempts are compared by text, not
 * by token: a token may be split anywhere. An attempt with a different text starts a new paragraph
 * after a `progress` event with `restarted: true`. At any moment, `textOf` is the concatenation of all
 * tokens that clients received.
 */
export function makeReplayFilter(restartText = 'The answer starts again.') {
  const streams = new Map<string, EmittedStream>()

  function getOrCreateStream(data: EventData): EmittedStream {
    const key = streamKey(data)
    const existing = streams.get(key)
    if (existing) return existing
    const stream = {
      skill: data.skill,
      all: '',
      current: '',
      position: 0,
      restarted: false,
      progress: [],
      progressPosition: 0,
    }
    streams.set(key, stream)
    return stream
  }

  function append(text: EmittedStream, content: string): string {
    const sent = text.restarted && text.all !== '' ? separator + content : content
    text.restarted = false
    text.all += sent
    text.current += content
    text.position = text.current.length
    return sent
  }

  function restart(data: EventData, text: EmittedStream, content: string): NewEvent[] {
    const { content: _, ...rest } = data
    Object.assign(text, { current: '', position: 0, restarted: true })
    return [
      ['progress', { ...rest, message: restartText, restarted: true }],
      ['token', { ...data, content: append(text, content) }],
    ]
  }

  function nextToken(data: EventData): NewEvent[] {
    const content = String(data.content)
    if (content === '') return []
    const text = getOrCreateStream(data)
    const { current, position } = text
    const expected = current.slice(position, position + content.length)
    if (!content.startsWith(expected))
      return restart(data, text, current.slice(0, position) + content)
    if (expected.length === content.length) {
      text.position += content.length
      return []
    }
    return [['token', { ...data, content: append(text, content.slice(expected.length)) }]]
  }

  function nextProgress(data: EventData): NewEvent[] {
    const line = JSON.stringify(data)
    const stream = getOrCreateStream(data)
    const index = stream.progressPosition++
    if (stream.progress[index] === line) return []
    stream.progress.splice(index, stream.progress.length, line)
    return [['progress', data]]
  }

  return {
    /** Returns the events to send for an event of the present attempt. */
    next: (event: 'token' | 'progress', data: EventData): NewEvent[] =>
      event === 'token' ? nextToken(data) : nextProgress(data),

    /** The present attempt, of one skill if given, starts from the beginning. */
    discardAttempt(skill?: string) {
      for (const stream of streams.values()) {
        if (skill === undefined || stream.skill === skill)
          Object.assign(stream, { position: 0, progressPosition: 0 })
      }
    },

    /** The present attempt emits its text under one key from the beginning. */
    discardText(data: EventData) {
      const text = streams.get(streamKey(data))
      if (text) text.position = 0
    },

    /**
     * Ends the attempt's text under a node. A reply that is a proper prefix of what an earlier attempt
     * emitted is repeated in full, so that clients see where it ends.
     */
    settle(data: { node: string }): NewEvent[] {
      const text = streams.get(streamKey(data))
      if (!text || text.position === 0 || text.position === text.current.length) return []
      return restart(data, text, text.current.slice(0, text.position))
    },

    textOf: (node: string): string => streams.get(streamKey({ node }))?.all ?? '',

    /** Takes in an event that an earlier process committed for this step. */
    restore({ line }: RunEvent) {
      const { event, data } = JSON.parse(line) as { event: string; data: EventData }
      const { seq: _, ...rest } = data
      if (event === 'token') {
        const text = getOrCreateStream(rest)
        const content = String(rest.content)
        text.all += content
        text.current += text.restarted ? content.slice(separator.length) : content
        text.restarted = false
      } else if (event === 'progress' && rest.restarted === true) {
        Object.assign(getOrCreateStream(rest), { current: '', restarted: true })
      } else if (event === 'progress') getOrCreateStream(rest).progress.push(JSON.stringify(rest))
    },
  }
}
export type ReplayFilter = ReturnType<typeof makeReplayFilter>
