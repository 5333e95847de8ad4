import { type Circuit, makeCircuit } from '../../_kit/circuit.ts'
import type { Graph } from './graph.ts'

/** Opens a graph on first use and stops querying it for a while after failures. */
export function withCircuitBreaker(
  open: () => Promise<Graph>,
  circuit: Circuit = makeCircuit(3, 5_000),
): Graph {
  let opened: Promise<Graph> | undefined
  const graph = () => {
    opened ??= open()
    return opened
  }
  /** Replaces the driver, so that hanging connections are dropped with it. */
  const renew = () => {
    const old = opened
    opened = undefined
    old?.then((graph) => graph.close()).catch(() => {})
  }
  return {
    async query(query) {
      if (circuit.open()) throw new Error('graph circuit is open')
      try {
        const found = await (await graph()).query(query)
        circuit.recordSuccess()
        return found
      } catch (thrown) {
        circuit.recordFailure()
        if (circuit.open()) renew()
        throw thrown
      }
    },
    // Uses its own driver: the one for queries is replaced when it hangs.
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
