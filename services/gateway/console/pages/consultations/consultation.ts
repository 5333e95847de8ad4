import { ApiError, request, send } from '../../api/client.ts'
import type { Card, ConsultationSession } from '../../api/types.ts'
import { makeStore } from '../../store.ts'
import { type Answer, deleteDraft } from './answers.ts'
import { type ConsultationState, initialState } from './consultation-state.ts'
import { followTurn, type OpenStream } from './follow-turn.ts'
import { makeFrames } from './frames.ts'
import { loadMessages, sessionsPath } from './load-messages.ts'
import {
  clearDraft,
  makeMessageDraft,
  makeUnsent,
  restoreDraft,
  type UnsentMessage,
} from './message-draft.ts'
import { makeRetries } from './retries.ts'
import { lastEventIdOf, newTurn, type Turn } from './turn.ts'

export type Consultation = ReturnType<typeof makeConsultation>

/** A session with its messages, its running turn and its card. It follows what other tabs start. */
export function makeConsultation(id: string, tabs = new BroadcastChannel('console.consultations')) {
  const path = `${sessionsPath}/${id}`
  const state = makeStore(initialState)
  const draft = makeMessageDraft(id)
  const unsent = makeUnsent(id)
  const closing = new AbortController()
  const { signal } = closing
  const retries = makeRetries(signal)
  let isRunning = false
  let lastEventId: string | undefined
  /** The refresh under way. An action replaces it, so that it never shows an older state. */
  let refreshing: AbortController | undefined

  const update = (changes: Partial<ConsultationState>) => state.set({ ...state.get(), ...changes })

  /** Words arrive faster than a screen shows them: the state changes once for each frame. */
  const frames = makeFrames(update)

  /** Loads messages and card, sends a message that a reload interrupted, and follows the running turn. */
  async function refresh() {
    if (isRunning) return
    refreshing?.abort()
    const current = new AbortController()
    refreshing = current
    const until = AbortSignal.any([signal, current.signal])
    try {
      const [session, { card }, messages] = await Promise.all([
        request<ConsultationSession>(path, { signal: until }),
        request<{ card: Card | null }>(`${path}/pending_card`, { signal: until }),
        loadMessages(id, state.get().messages, until),
      ])
      update({ session, card, messages, error: undefined })
      const message = unsent.read()
      if (message) return void (await deliver(message))
      let running: Response | undefined = await openRunning(undefined, until)
      if (running.status === 204) return
      refreshing = undefined
      await runTurn((after) => {
        const opened = running
        running = undefined
        return opened ? Promise.resolve(opened) : openRunning(after)
      })
    } catch (error) {
      if (!until.aborted) update({ error })
    }
  }

  const openRunning = (after: string | undefined, until = signal) =>
    send(`${path}/stream`, { signal: until, ...(after && { headers: { 'Last-Event-ID': after } }) })

  /** Sends a body that starts a turn. A repetition with its id joins the turn that the first one started. */
  const openTurn =
    (action: 'chat' | 'resume', body: { client_message_id: string }): OpenStream =>
    (after) =>
      after ? openRunning(after) : send(`${path}/${action}`, { method: 'POST', body, signal })

  /** Follows a turn to its end and shows its outcome. */
  async function runTurn(open: OpenStream, onAccept = () => {}) {
    if (isRunning) throw new ApiError(409, 'TURN_IN_PROGRESS', 'A turn is running.', null, null)
    isRunning = true
    refreshing?.abort()
    update({ turn: newTurn() })
    try {
      const turn = await followTurn({
        open,
        retries,
        signal,
        onConnect: (turn) => update({ isConnectionLost: false, turn }),
        onEvent: (turn) => frames.schedule({ turn, isConnectionLost: false }),
        onFirstEvent: () => {
          onAccept()
          showQuestion()
        },
        onLoss: showLoss,
      })
      if (turn.id !== null) await endTurn(turn)
    } finally {
      isRunning = false
      frames.cancel()
      update({ turn: null, isConnectionLost: false })
    }
  }

  function showLoss(turn: Turn) {
    frames.cancel()
    update({ turn, isConnectionLost: true })
  }

  /** Shows the message that started the turn: it is stored by now. The answer is shown by the turn. */
  async function showQuestion() {
    tabs.postMessage({ id })
    const messages = await loadMessages(id, state.get().messages, signal).catch(() => [])
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
    const load = () =>
      Promise.all([
        loadMessages(id, state.get().messages, signal),
        request<ConsultationSession>(path, { signal }),
      ])
    const [messages, session] = await retries.run(load, () => showLoss(turn))
    const { card, error: turnError } = turn
    update({ messages, session, card, turnError, unsent: null, turn: null })
    tabs.postMessage({ id })
  }

  /** Runs an action of the person. A conflict means that another tab was first: the state is loaded again. */
  async function act(run: () => Promise<unknown>): Promise<unknown> {
    update({ error: undefined, turnError: null })
    try {
      await run()
      return undefined
    } catch (error) {
      if (signal.aborted) return error
      update({ unsent: null })
      if (error instanceof ApiError && error.status === 409) await refresh()
      update({ error })
      return error
    }
  }

  /** Sends a message. A refused one becomes the draft again. */
  async function deliver(message: UnsentMessage) {
    const { text, files, client_message_id } = message
    const body = { content: text, file_ids: files.map(({ fileId }) => fileId), client_message_id }
    let isAccepted = false
    const accept = () => {
      isAccepted = true
      unsent.remove()
    }
    await act(async () => {
      update({ unsent: text })
      try {
        await runTurn(openTurn('chat', body), accept)
      } catch (thrown) {
        // A page that closes before the response sends the message when it opens again.
        if (thrown instanceof ApiError && !isAccepted) {
          unsent.remove()
          restoreDraft(draft, message)
        }
        throw thrown
      }
    })
  }

  const refreshVisible = () => void (document.visibilityState === 'visible' && refresh())
  const onMessage = ({ data }: MessageEvent<{ id: string }>) => void (data.id === id && refresh())
  tabs.addEventListener('message', onMessage)
  document.addEventListener('visibilitychange', refreshVisible, { signal })

  return {
    state,
    draft,
    refresh,
    sendDraft() {
      const message = unsent.write(draft.get())
      clearDraft(draft)
      return deliver(message)
    },
    /** Returns the failure of an answer that was refused. */
    answerCard: (card: Card, answers: Answer[]) => {
      const { card_id } = card
      const client_message_id = crypto.randomUUID()
      const body = { card_id, user_response: { answers }, client_message_id }
      return act(() => runTurn(openTurn('resume', body), () => deleteDraft(card)))
    },
    skipCard: (card: Card) =>
      act(async () => {
        const { card_id } = card
        const after = lastEventId
        let isSkipped = false
        await runTurn(async (last) => {
          if (!isSkipped)
            await request(`${path}/pending_card/skip`, { method: 'POST', body: { card_id } })
          isSkipped = true
          return openRunning(last ?? after)
        })
        deleteDraft(card)
        await refresh()
      }),
    stop: () => act(() => request(`${path}/stop`, { method: 'POST', body: {} })),
    close() {
      closing.abort()
      tabs.removeEventListener('message', onMessage)
      tabs.close()
    },
  }
}
