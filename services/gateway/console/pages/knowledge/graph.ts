import type { CauseOfAction } from '../../api/types.ts'
import { causeName, citeArticle, lawAddress } from './cause-names.ts'

export interface GraphNode {
  id: string
  kind: 'cause' | 'element' | 'article'
  name: string
  /** Page that shows the node. */
  href?: string
  x: number
  y: number
}

export interface GraphEdge {
  from: string
  to: string
}

export interface Graph {
  nodes: GraphNode[]
  edges: GraphEdge[]
  width: number
  height: number
}

const columns = { cause: 20, element: 300, article: 640 }
export const nodeWidth = 240
export const nodeHeight = 40
const rowHeight = 56

/** The graph of a cause, its elements and the articles behind them, in three columns. */
export function buildGraph(cause: CauseOfAction): Graph {
  const edges: GraphEdge[] = []
  const articles = new Map<string, string>()
  for (const element of cause.elements) {
    edges.push({ from: cause.code, to: element.element_id })
    for (const basis of element.legal_basis) {
      const to = citeArticle(basis)
      articles.set(to, lawAddress(basis))
      const isKnown = edges.some((edge) => edge.from === element.element_id && edge.to === to)
      if (!isKnown) edges.push({ from: element.element_id, to })
    }
  }
  const rows = Math.max(1, cause.elements.length, articles.size)
  const height = rows * rowHeight
  /** Centre of an entry of a column that has `count` entries. */
  const place = (index: number, count: number) => ((index + 0.5) * height) / count
  const nodes: GraphNode[] = [
    { id: cause.code, kind: 'cause', name: causeName(cause), x: columns.cause, y: height / 2 },
    ...cause.elements.map((element, index) => ({
      id: element.element_id,
      kind: 'element' as const,
      name: causeName(element),
      x: columns.element,
      y: place(index, cause.elements.length),
    })),
    ...[...articles].map(([name, href], index) => ({
      id: name,
      kind: 'article' as const,
      name,
      href,
      x: columns.article,
      y: place(index, articles.size),
    })),
  ]
  return { nodes, edges, width: columns.article + nodeWidth + 20, height }
}

/** Ids of a node and of its neighbours. */
export function connectedTo({ edges }: Graph, id: string): Set<string> {
  const connected = new Set([id])
  for (const { from, to } of edges) {
    if (from === id) connected.add(to)
    if (to === id) connected.add(from)
  }
  return connected
}
