export interface DependencyNode {
  item_id: string
  depends_on: readonly string[]
}

/** Finds dependency cycles, each formatted as `a → b → a`. */
export function findCycles(nodes: readonly DependencyNode[], limit = 20): string[] {
  const remaining = new Map(nodes.map(({ item_id, depends_on }) => [item_id, depends_on]))
  const cycles: string[] = []
  while (cycles.length < limit) {
    removeIndependent(remaining)
    const [start] = remaining.keys()
    if (start === undefined) break
    const cycle = traceCycle(remaining, start)
    cycles.push([...cycle, cycle[0]].join(' → '))
    // Removing one item breaks the cycle, so that the next one can be found.
    remaining.delete(cycle[0]!)
  }
  return cycles
}

/** Removes items without remaining dependencies, until every remaining item has one. */
function removeIndependent(remaining: Map<string, readonly string[]>) {
  for (let before = -1; before !== remaining.size; ) {
    before = remaining.size
    for (const [id, needs] of remaining)
      if (!needs.some((need) => remaining.has(need))) remaining.delete(id)
  }
}

function traceCycle(remaining: ReadonlyMap<string, readonly string[]>, start: string): string[] {
  const path: string[] = []
  for (let at = start; ; at = remaining.get(at)!.find((need) => remaining.has(need))!) {
    const seen = path.indexOf(at)
    if (seen !== -1) return path.slice(seen)
    path.push(at)
  }
}
