import { type Circuit, makeCircuit } from '../../_kit/circuit.ts'
import type { Graph } from './graph.ts'

/** A graph that is opened when it is first needed, and left alone for a while after it failed. */
export function withCircuitBreaker(
  open: () => Promise<Graph>,
  circuit: Circuit = makeCircuit(3, 5_000),
): Graph {
  let opened: Promise<Graph> | undefined
  const graph = () => {
    opened ??= open()
    return opened
  }
  /** What hangs in the old one's connections is left behind with it. */
  const renew = () => {
    const old = opened
    opened = undefined
    old?.then((graph) => graph.close()).catch(() => {})
  }
  return {
    async query(query) {
      if (circuit.open()) throw new Error('the graph failed a moment ago')
      try {
        const found = await (await graph()).query(query)
        circuit.succeeded()
        return found
      } catch (thrown) {
        circuit.failed()
        if (circuit.open()) renew()
        throw thrown
      }
    },
    // On connections of its own: those of the queries are given up when they hang.
    async sync(desired) {
      const own = await open()
      try {
        return await own.sync(desired)
      } finally {
        own.close().catch(() => {})
      }
    },
    check: async () => (await graph()).check(),
    close: async () => renew(),
  }
}
