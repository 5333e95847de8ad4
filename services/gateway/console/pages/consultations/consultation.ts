import { ApiError, type Page, request, send, withQuery } from '../../api/client.ts'
import type { Card, ConsultationMessage, ConsultationSession } from '../../api/types.ts'
import { makeStore } from '../../store.ts'
import type { Answer } from './answers.ts'
import { readEvents } from './event-stream.ts'
import { makeFrames } from './frames.ts'
import { applyEvent, lastEventIdOf, newTurn, type Turn } from './turn.ts'

export const sessionsPath = '/consultations-service/api/v1/consultations/sessions'
const messagesPerPage = 200
const maxPauseMs = 8_000

export interface ConsultationState {
  session: ConsultationSession | undefined
  messages: ConsultationMessage[]
  /** Message that was sent and is not stored yet. */
  unsent: string | null
  turn: Turn | null
  card: Card | null
  isConnectionLost: boolean
  /** Failure of the load, or of the last action. */
  error: unknown
  /** Error event of the last turn. */
  turnError: Turn['error']
}

/** Opens a stream; after a lost connection it continues after `lastEventId`. */
type OpenStream = (lastEventId: string | undefined) => Promise<Response>

export type Consultation = ReturnType<typeof makeConsultation>

/** A session with its messages, its running turn and its card. It follows what other tabs start. */
export function makeConsultation(id: string, tabs = new BroadcastChannel('console.consultations')) {
  const path = `${sessionsPath}/${id}`
  const state = makeStore<ConsultationState>({
    session: undefined,
    messages: [],
    unsent: null,
    turn: null,
    card: null,
    isConnectionLost: false,
    error: undefined,
    turnError: null,
  })
  const closing = new AbortController()
  const { signal } = closing
  let isFollowing = false
  let lastEventId: string | undefined
  let wake = () => {}

  const update = (changes: Partial<ConsultationState>) => state.set({ ...state.get(), ...changes })

  /** Words arrive faster than a screen shows them: the state changes once for each frame. */
  const frames = makeFrames(update)

  /** Loads the messages that are not known yet. Returns all messages. */
  async function loadMessages(): Promise<ConsultationMessage[]> {
    const known = state.get().messages
    const messages = known.slice(0, known.length - (known.length % messagesPerPage))
    for (let page = messages.length / messagesPerPage + 1; ; page++) {
      const query = { page, size: messagesPerPage }
      const loaded = await request<Page<ConsultationMessage>>(
        withQuery(`${path}/messages`, query),
        { signal },
      )
      messages.push(...loaded.items)
      if (page >= loaded.total_pages) return messages
    }
  }

  /** Loads messages and card, and follows the running turn. */
  async function refresh() {
    if (isFollowing) return
    try {
      const [session, { card }, messages] = await Promise.all([
        request<ConsultationSession>(path, { signal }),
        request<{ card: Card | null }>(`${path}/pending_card`, { signal }),
        loadMessages(),
      ])
      update({ session, card, messages, error: undefined })
      await follow(openRunning)
    } catch (error) {
      if (!signal.aborted) update({ error })
    }
  }

  const openRunning: OpenStream = (after) =>
    send(`${path}/stream`, { signal, ...(after && { headers: { 'Last-Event-ID': after } }) })

  /** Sends a body that starts a turn. Its id makes a repetition join the turn that the first one started. */
  function openTurn(action: 'chat' | 'resume', body: object): OpenStream {
    const client_message_id = crypto.randomUUID()
    return (after) =>
      after
        ? openRunning(after)
        : send(`${path}/${action}`, {
            method: 'POST',
            body: { ...body, client_message_id },
            signal,
          })
  }

  /** Follows a turn to its end. Every lost connection is opened again after the last event. */
  async function follow(open: OpenStream) {
    if (isFollowing) return
    isFollowing = true
    let turn = newTurn()
    // A request that starts a turn locks the input at once.
    if (open !== openRunning) update({ turn })
    try {
      for (let attempt = 0; !turn.isEnded; attempt++) {
        if (attempt > 0) await pause(Math.min(maxPauseMs, 250 * 2 ** attempt))
        try {
          const response = await open(lastEventIdOf(turn))
          if (response.status === 204) break
          update({ isConnectionLost: false, turn })
          for await (const event of readEvents(response.body!)) {
            const isFirst = turn.id === null
            turn = applyEvent(turn, event)
            attempt = 0
            frames.schedule({ turn, isConnectionLost: false })
            if (isFirst) startTurn()
          }
          if (!turn.isEnded) showLoss(turn)
        } catch (thrown) {
          signal.throwIfAborted()
          if (thrown instanceof ApiError && !isTransient(thrown)) throw thrown
          showLoss(turn)
        }
      }
      if (turn.id !== null) await endTurn(turn)
    } finally {
      isFollowing = false
      frames.cancel()
      update({ turn: null, isConnectionLost: false })
    }
  }

  function showLoss(turn: Turn) {
    frames.cancel()
    update({ turn, isConnectionLost: true })
  }

  /** Shows the message that started the turn: it is stored by now. The answer is shown by the turn. */
  async function startTurn() {
    tabs.postMessage({ id })
    const messages = await loadMessages().catch(() => [])
    const question = messages.findLastIndex(({ role }) => role === 'USER')
    if (question >= state.get().messages.length) {
      update({ messages: messages.slice(0, question + 1), unsent: null })
    }
  }

  /** Replaces the turn by its message in one step, so that no word is shown twice. */
  async function endTurn(turn: Turn) {
    frames.cancel()
    update({ turn })
    lastEventId = lastEventIdOf(turn)
    const [messages, session] = await Promise.all([
      loadMessages(),
      request<ConsultationSession>(path, { signal }),
    ])
    const { card, error: turnError } = turn
    update({ messages, session, card, turnError, unsent: null, turn: null })
    tabs.postMessage({ id })
  }

  /** Waits before the next attempt, at most until the network is back. */
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      wake = resolve
      setTimeout(resolve, ms)
    })
  const wakeUp = () => wake()

  /** Runs an action of the person. A conflict means that another tab was first: the state is loaded again. */
  async function act(run: () => Promise<unknown>): Promise<unknown> {
    update({ error: undefined, turnError: null })
    try {
      await run()
      return undefined
    } catch (error) {
      if (signal.aborted) return undefined
      update({ unsent: null })
      if (error instanceof ApiError && error.status === 409) await refresh()
      update({ error })
      return error
    }
  }

  const refreshVisible = () => document.visibilityState === 'visible' && refresh()
  const onMessage = ({ data }: MessageEvent<{ id: string }>) => data.id === id && refresh()
  tabs.addEventListener('message', onMessage)
  document.addEventListener('visibilitychange', refreshVisible)
  addEventListener('online', wakeUp)

  return {
    state,
    refresh,
    sendMessage: (content: string, file_ids: string[]) =>
      act(() => {
        update({ unsent: content })
        return follow(openTurn('chat', { content, file_ids }))
      }),
    answerCard: (card: Card, answers: Answer[]) =>
      act(() => {
        const { card_id } = card
        return follow(openTurn('resume', { card_id, user_response: { answers } }))
      }),
    skipCard: ({ card_id }: Card) =>
      act(async () => {
        await request(`${path}/pending_card/skip`, { method: 'POST', body: { card_id } })
        update({ card: null })
        const after = lastEventId
        await follow((last) => openRunning(last ?? after))
        await refresh()
      }),
    stop: () => act(() => request(`${path}/stop`, { method: 'POST', body: {} })),
    close() {
      closing.abort()
      wake()
      tabs.removeEventListener('message', onMessage)
      tabs.close()
      document.removeEventListener('visibilitychange', refreshVisible)
      removeEventListener('online', wakeUp)
    },
  }
}

const isTransient = ({ status }: ApiError) => status === 0 || status === 429 || status >= 502
