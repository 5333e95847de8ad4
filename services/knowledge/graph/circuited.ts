import { type Circuit, makeCircuit } from '../../_kit/circuit.ts'
import type { Graph } from './graph.ts'

/** A graph that is opened when it is first needed, and left alone for a while after it failed. */
export function circuited(
  open: () => Promise<Graph>,
  circuit: Circuit = makeCircuit(3, 5_000),
): Graph {
  let opened: Promise<Graph> | undefined
  const graph = () => {
    opened ??= open()
    return opened
  }
  return {
    async query(question) {
      if (circuit.open()) throw new Error('the graph failed a moment ago')
      try {
        const found = await (await graph()).query(question)
        circuit.succeeded()
        return found
      } catch (thrown) {
        circuit.failed()
        throw thrown
      }
    },
    sync: async (whole) => (await graph()).sync(whole),
    check: async () => (await graph()).check(),
  }
}
