import { newId } from '../../services/_kit/ids.ts'
import type { Peer } from '../../services/_kit/peer.ts'

export interface EngineEvent {
  event: string
  data: Record<string, unknown>
}
type RunScript = (request: any) => Iterable<EngineEvent> | AsyncIterable<EngineEvent>

interface ScriptedRun {
  run_id: string
  thread_id: string
  user_message: string
  lines: string[]
  ended: boolean
  waiters: Set<() => void>
}

export const token = (content: string, node = 'chat_respond') => ({
  event: 'token',
  data: { node, content },
})
export const end = (output: string, status = 'completed') => ({
  event: 'end',
  data: { output, status },
})
export const makeCard = (card_id: string = newId()) => ({
  card_id,
  review_type: 'clarify',
  title: '请补充',
  questions: [
    { question: '金额是多少？', field_key: 'intake.amount', input_type: 'money', required: true },
    { question: '备注？', field_key: 'intake.note', input_type: 'text', required: false },
  ],
})

/** Replies with the message in two tokens. */
export const echo: RunScript = ({ message = 'answered' }) => [
  { event: 'progress', data: { node: 'router', message: 'thinking' } },
  token('secret thoughts', 'router'),
  token('You said: '),
  token(message),
  { event: 'result', data: { skills: ['chat'], playbook_config: { a: 1 } } },
  end(`You said: ${message}`),
]

/** Emits a card for a message and echoes the resumed run. */
export const askCardFirst: RunScript = (request) =>
  request.message === undefined
    ? echo(request)
    : (() => {
        const card = makeCard()
        return [
          { event: 'task_start', data: { task_id: 't', skill: 'intake', title: 'Intake' } },
          { event: 'card', data: card },
          end(card.title, 'interrupted'),
        ]
      })()

/** Stub of ai-engine that follows a script. Runs and events outlive connections. */
export function scriptedEngine(script: RunScript = echo) {
  const runs: ScriptedRun[] = []
  const cards = new Map<string, any>()
  const answered = new Map<string, { answers: string; run: ScriptedRun }>()
  const requests: { path: string; body: any; headers: Headers }[] = []
  const open = new Set<ReadableStreamDefaultController>()
  const state = {
    plan: script,
    down: false,
    /** Cards cannot be skipped. */
    cardRequired: false,
    closeAfter: undefined as number | undefined,
    /** Number of requests that start a run and get no response. */
    lostResponses: 0,
    /** Card that is reported as pending although it was answered, as to a request that read it before. */
    staleCard: undefined as any,
  }

  async function drive(run: ScriptedRun, body: any) {
    for await (const { event, data } of state.plan(body)) {
      const seq = run.lines.length + 1
      if (event === 'card') cards.set(run.thread_id, data)
      if (run.ended) return
      run.ended = event === 'end'
      run.lines.push(JSON.stringify({ event, data: { ...data, seq } }))
      for (const notify of run.waiters) notify()
      run.waiters.clear()
    }
  }

  function startRun(body: any): ScriptedRun {
    const { thread_id, message = '' } = body
    const run = { run_id: newId(), thread_id, user_message: message, lines: [], ended: false }
    const started: ScriptedRun = { ...run, waiters: new Set() }
    runs.unshift(started)
    void drive(started, body)
    return started
  }

  /** Ends a run as ai-engine does for a cancel with the reason `stopped`. */
  function stopRun(run: ScriptedRun) {
    run.ended = true
    const error = { event: 'error', data: { code: 'STOPPED', message: 'The run was stopped.' } }
    for (const { event, data } of [error, end('', 'failed')]) {
      const seq = run.lines.length + 1
      run.lines.push(JSON.stringify({ event, data: { ...data, seq } }))
    }
    for (const notify of run.waiters) notify()
    run.waiters.clear()
  }

  const streamRun = (run: ScriptedRun, after: number) => {
    const encoder = new TextEncoder()
    let position = after
    let own: ReadableStreamDefaultController
    const body = new ReadableStream({
      start(controller) {
        own = controller
        open.add(controller)
      },
      async pull(controller) {
        while (position >= run.lines.length) {
          if (run.ended || position === state.closeAfter) {
            open.delete(controller)
            return controller.close()
          }
          await new Promise<void>((go) => run.waiters.add(go))
        }
        if (open.has(controller)) controller.enqueue(encoder.encode(`${run.lines[position++]}\n`))
      },
      cancel: () => void open.delete(own),
    })
    const type = { 'content-type': 'application/x-ndjson', 'x-run-id': run.run_id }
    return new Response(body, { headers: type })
  }

  const fault = (status: number, code: string, data: unknown = null) =>
    Response.json({ code, message: `${code}.`, data }, { status })
  const ok = (data: unknown) => Response.json({ code: 0, message: 'ok', data })

  const peer: Peer = async (request) => {
    const response = await respond(request)
    if (state.lostResponses === 0 || request.method !== 'POST') return response
    state.lostResponses--
    await response.body?.cancel()
    return new Response('gone', { status: 502 })
  }

  async function respond(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const path = pathname.replace('/api/v1/internal/ai', '')
    const text = await request.text()
    const body = text ? JSON.parse(text) : null
    requests.push({ path, body, headers: request.headers })
    if (state.down) return new Response('gone', { status: 502 })
    const thread = body?.thread_id ?? searchParams.get('thread_id')
    const running = runs.some((run) => run.thread_id === thread && !run.ended)
    const card = cards.get(thread)
    if (path === '/agent/execute/stream') {
      if (running) return fault(409, 'TURN_IN_PROGRESS')
      return card ? fault(409, 'CARD_PENDING', { card }) : streamRun(startRun(body), 0)
    }
    if (path === '/agent/resume/stream') {
      const answers = JSON.stringify(body.user_response.answers)
      const earlier = answered.get(body.card_id)
      if (earlier?.answers === answers) return streamRun(earlier.run, 0)
      if (!card) return fault(409, 'NO_PENDING_CARD')
      const keys = body.user_response.answers.map((answer: any) => answer.field_key)
      const missing = card.questions.some((q: any) => q.required && !keys.includes(q.field_key))
      if (missing) return fault(400, 'VALIDATION_FAILED', { issues: [] })
      cards.delete(thread)
      const run = startRun(body)
      answered.set(body.card_id, { answers, run })
      return streamRun(run, 0)
    }
    if (path === '/agent/pending_card/skip') {
      if (!card) return fault(409, 'NO_PENDING_CARD')
      if (body.card_id !== undefined && body.card_id !== card.card_id) return fault(409, 'CONFLICT')
      if (state.cardRequired) return fault(409, 'CARD_REQUIRED')
      cards.delete(thread)
      return streamRun(startRun(body), 0)
    }
    if (path === '/agent/cancel') {
      const current = runs.find((run) => run.thread_id === thread && !run.ended)
      if (current) stopRun(current)
      return ok({ thread_id: thread, run_id: current?.run_id ?? null, cancelled: !!current })
    }
    if (path === '/agent/pending_card') {
      const shown = state.staleCard ?? card ?? null
      return ok({ has_pending_card: shown !== null, card: shown })
    }
    if (path === '/timeline') return ok({ items: runs.filter((run) => run.thread_id === thread) })
    const run = runs.find(({ run_id }) => path === `/agent/runs/${run_id}/stream`)
    return run ? streamRun(run, Number(searchParams.get('after'))) : fault(404, 'NOT_FOUND')
  }

  return {
    peer,
    runs,
    requests: requests,
    state,
    /** Requests that started or resumed a run. */
    runRequests: () =>
      requests.filter(({ path }) => /(execute|resume)\/stream$|\/skip$/.test(path)),
    /** Closes all open streams. */
    closeStreams() {
      for (const controller of open) controller.close()
      open.clear()
    },
  }
}

/** A promise that a test resolves with `open`. */
export function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}
