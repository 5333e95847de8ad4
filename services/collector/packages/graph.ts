export interface Node {
  item_id: string
  depends_on: readonly string[]
}

/** Circles among items, each as the names on its way round: `a → b → a`. */
export function circlesIn(nodes: readonly Node[], most = 20): string[] {
  const left = new Map(nodes.map(({ item_id, depends_on }) => [item_id, depends_on]))
  const circles: string[] = []
  while (circles.length < most) {
    peel(left)
    const [start] = left.keys()
    if (start === undefined) break
    const circle = wayRound(left, start)
    circles.push([...circle, circle[0]].join(' → '))
    // Without one of its items the circle is open, and the next can be seen.
    left.delete(circle[0]!)
  }
  return circles
}

/** Takes away what depends on nothing that is left, until everything left depends on something. */
function peel(left: Map<string, readonly string[]>) {
  for (let before = -1; before !== left.size; ) {
    before = left.size
    for (const [id, needs] of left) if (!needs.some((need) => left.has(need))) left.delete(id)
  }
}

function wayRound(left: ReadonlyMap<string, readonly string[]>, start: string): string[] {
  const way: string[] = []
  for (let at = start; ; at = left.get(at)!.find((need) => left.has(need))!) {
    const seen = way.indexOf(at)
    if (seen !== -1) return way.slice(seen)
    way.push(at)
  }
}
