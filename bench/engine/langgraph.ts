import { Annotation, Command, END, interrupt, START, StateGraph } from '@langchain/langgraph'
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres'
import { newId } from '../../services/_kit/ids.ts'
import { postgresDriver } from '../../services/_kit/sql/postgres.ts'
import { makeSql } from '../../services/_kit/sql/sql.ts'
import { type Kind, newWork, step, type Work } from './payload.ts'
import type { Peer } from './peer.ts'
import { bytesIn } from './sizes.ts'

const State = Annotation.Root({
  n: Annotation<number>(),
  document: Annotation<Work['document']>(),
  messages: Annotation<Work['messages']>({
    reducer: (list, added) => list.concat(added),
    default: () => [],
  }),
})

/** State update of a step for LangGraph: the changed members and the new messages. */
function runStep(kind: Kind, state: Work) {
  const { n, document, messages } = step(kind, state)
  return { n, document, messages: messages.slice(state.messages.length) }
}

/** LangGraph with its Postgres checkpointer. Each step is committed before the next one starts. */
export async function langgraph(url: string): Promise<Peer> {
  const saver = PostgresSaver.fromConnString(url)
  await saver.setup()
  const driver = postgresDriver(url, 1)
  const config = (thread_id: string) => ({
    configurable: { thread_id },
    durability: 'sync' as const,
    recursionLimit: 5_000,
  })
  const working = (kind: Kind, steps: number, onStep = () => {}) =>
    new StateGraph(State)
      .addNode('work', (state) => {
        onStep()
        return runStep(kind, state)
      })
      .addEdge(START, 'work')
      .addConditionalEdges('work', ({ n }) => (n < steps ? 'work' : END), ['work', END])
      .compile({ checkpointer: saver })

  return {
    name: 'LangGraph',
    async run(kind, steps, onStep) {
      await working(kind, steps, onStep).invoke(newWork(kind), config(newId()))
    },
    async resume(kind) {
      let startedAt = 0
      let durationMs = 0
      const graph = new StateGraph(State)
        .addNode('ask', () => {
          interrupt('Go on?')
          return {}
        })
        .addNode('work', (state) => {
          durationMs = performance.now() - startedAt
          return runStep(kind, state)
        })
        .addEdge(START, 'ask')
        .addEdge('ask', 'work')
        .addEdge('work', END)
        .compile({ checkpointer: saver })
      const thread = config(newId())
      await graph.invoke(newWork(kind), thread)
      startedAt = performance.now()
      await graph.invoke(new Command({ resume: true }), thread)
      return durationMs
    },
    bytes: () => bytesIn(makeSql(driver), 'public'),
    async end() {
      await saver.end()
      await driver.end()
    },
  }
}
