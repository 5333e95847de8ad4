import { newId } from '../../services/_kit/ids.ts'
import { silent } from '../../services/_kit/log.ts'
import { makeMetrics } from '../../services/_kit/metrics.ts'
import { migrate } from '../../services/_kit/sql/migrate.ts'
import { postgresDriver } from '../../services/_kit/sql/postgres.ts'
import { makeSql } from '../../services/_kit/sql/sql.ts'
import { drive } from '../../services/ai-engine/run/drive.ts'
import type { Graph, Outcome } from '../../services/ai-engine/run/graph.ts'
import { makeHub } from '../../services/ai-engine/run/hub.ts'
import { hashCard } from '../../services/ai-engine/store/cards.ts'
import { makeCommitGroup } from '../../services/ai-engine/store/commit-group.ts'
import { startResume } from '../../services/ai-engine/store/start-resume.ts'
import { startExecute } from '../../services/ai-engine/store/start-run.ts'
import { type Kind, newWork, step, type Work } from './payload.ts'
import type { Peer } from './peer.ts'
import { bytesIn } from './sizes.ts'

const end = (state: Work, more: Partial<Outcome<Work>['end'] & object> = {}): Outcome<Work> => {
  const output = ''
  const ended = {
    status: 'completed' as const,
    output,
    result: null,
    error: null,
    skills: [],
    skill_version: null,
    card: null,
  }
  return { state, next: null, events: [['end', { output }]], end: { ...ended, ...more } }
}

/** The engine of ai-engine with a graph of the benchmark instead of the workbench. */
export async function makeOwnPeer(url: string): Promise<Peer> {
  const driver = postgresDriver(url, 10)
  await migrate(driver, 'ai-engine', 'ai_engine')
  const sql = makeSql(driver)
  const limits = { steps: 10_000, retries: 0, stepMs: 60_000, runMs: 3_600_000 }
  const commit = makeCommitGroup()
  const engine = { sql, commit, hub: makeHub(), log: silent, metrics: makeMetrics(), limits }

  const begin = (kind: Kind, next: string) =>
    startExecute(
      sql,
      {
        thread_id: newId(),
        organization_id: 'bench',
        user_id: null,
        session_id: null,
        matter_id: null,
      },
      newWork(kind),
      {
        kind: 'execute',
        node: 'start',
        next,
        input: [],
        user_message: '',
        graph_version: '1',
        origin: { request_id: '', traceparent: '' },
      },
    )
  const graph = (kind: Kind, steps: number, onStep = () => {}): Graph<Work> => ({
    nodes: {
      async work(state) {
        onStep()
        const after = step(kind, state)
        return after.n < steps ? { state: after, next: 'work' } : end(after)
      },
      async ask(state) {
        const card = {
          card_id: newId(),
          review_type: 'confirm' as const,
          title: 'Go on?',
          questions: [
            {
              question: 'Go on?',
              field_key: 'ask.yes',
              input_type: 'boolean' as const,
              required: true,
            },
          ],
        }
        const cardRequest = {
          card,
          skill: 'ask',
          skippable: false,
          basis: null,
          hash: await hashCard(card, null),
        }
        return end(state, { status: 'interrupted' as never, card: cardRequest })
      },
    },
    onNodeFailure: (state) => end(state, { status: 'failed' as never }),
    onAbort: (state) => end(state, { status: 'failed' as never }),
  })

  return {
    name: 'ai-engine',
    run: async (kind, steps, onStep) =>
      drive(engine, graph(kind, steps, onStep), await begin(kind, 'work')),
    async resume(kind) {
      const asking = await begin(kind, 'ask')
      await drive(engine, graph(kind, 1), asking)
      const answers = [{ field_key: 'ask.yes', value: true }]
      const response = {
        thread_id: asking.thread_id,
        user_id: null,
        card_id: undefined,
        answers,
        origin: { request_id: '', traceparent: '' },
      }
      const startedAt = performance.now()
      let durationMs = 0
      const resumed = await startResume(sql, undefined, response, async () => ({
        kind: 'resume',
        node: 'resume',
        next: 'work',
        input: [['set', ['ask'], { yes: true }]],
        user_message: '',
        graph_version: '1',
      }))
      if (!('lease' in resumed)) throw new Error('not resumed')
      await drive(
        engine,
        graph(kind, 1, () => {
          durationMs = performance.now() - startedAt
        }),
        resumed.lease,
      )
      return durationMs
    },
    bytes: () => bytesIn(sql, 'ai_engine'),
    end: () => driver.end(),
  }
}
