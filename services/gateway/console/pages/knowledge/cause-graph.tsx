import { useState } from 'preact/hooks'
import type { CauseOfAction } from '../../api/types.ts'
import { t } from '../../text/text.ts'
import {
  buildGraph,
  connectedTo,
  type Graph,
  type GraphNode,
  nodeHeight,
  nodeWidth,
} from './graph.ts'

/** The graph as a picture. A chosen node shows its neighbours; below is the same graph as a list. */
export function CauseGraph({ cause }: { cause: CauseOfAction }) {
  const graph = buildGraph(cause)
  const [chosen, setChosen] = useState<string>()
  const connected = chosen === undefined ? undefined : connectedTo(graph, chosen)
  const nodeOf = (id: string) => graph.nodes.find((node) => node.id === id)!
  return (
    <>
      <p class="faint">{t('graph.hint')}</p>
      <div class="graph-scroll">
        {/* biome-ignore lint/a11y/useSemanticElements: A fieldset cannot hold a picture. */}
        <svg
          class="graph"
          viewBox={`0 0 ${graph.width} ${graph.height}`}
          width={graph.width}
          height={graph.height}
          role="group"
          aria-label={t('graph.label')}
        >
          {graph.edges.map(({ from, to }) => (
            <path
              key={`${from} ${to}`}
              class={connected?.has(from) && connected.has(to) ? 'edge chosen' : 'edge'}
              d={curve(nodeOf(from), nodeOf(to))}
            />
          ))}
          {graph.nodes.map((node) => (
            <NodeView
              key={node.id}
              node={node}
              state={classifyNode(node.id, chosen, connected)}
              onChoose={() => setChosen(chosen === node.id ? undefined : node.id)}
            />
          ))}
        </svg>
      </div>
      {chosen !== undefined && <Neighbours graph={graph} node={nodeOf(chosen)} />}
      <details class="panel-box">
        <summary>{t('graph.list')}</summary>
        <ul>
          {graph.nodes
            .filter(({ kind }) => kind === 'element')
            .map((element) => (
              <li key={element.id}>
                {element.name}
                <NodeLinks
                  nodes={graph.edges
                    .filter(({ from }) => from === element.id)
                    .map(({ to }) => nodeOf(to))}
                />
              </li>
            ))}
        </ul>
      </details>
    </>
  )
}

const classifyNode = (
  id: string,
  chosen: string | undefined,
  connected: Set<string> | undefined,
) => {
  if (connected === undefined) return ''
  if (id === chosen) return 'chosen'
  return connected.has(id) ? 'near' : 'far'
}

function curve(from: GraphNode, to: GraphNode): string {
  const start = from.x + nodeWidth
  const middle = (start + to.x) / 2
  return `M${start} ${from.y}C${middle} ${from.y} ${middle} ${to.y} ${to.x} ${to.y}`
}

interface NodeViewProps {
  node: GraphNode
  state: string
  onChoose: () => void
}

const NodeView = ({ node: { kind, name, x, y }, state, onChoose }: NodeViewProps) => (
  <foreignObject x={x} y={y - nodeHeight / 2} width={nodeWidth} height={nodeHeight}>
    <button
      type="button"
      class={`node node-${kind} ${state}`}
      title={name}
      aria-pressed={state === 'chosen'}
      onClick={onChoose}
    >
      <span>{name}</span>
    </button>
  </foreignObject>
)

const Neighbours = ({ graph, node }: { graph: Graph; node: GraphNode }) => {
  const ids = connectedTo(graph, node.id)
  const nodes = graph.nodes.filter(({ id }) => ids.has(id) && id !== node.id)
  return (
    <section class="panel-box neighbours" aria-live="polite">
      <h2>{node.name}</h2>
      {node.href && (
        <p>
          <a href={node.href}>{t('graph.open')}</a>
        </p>
      )}
      <NodeLinks nodes={nodes} />
    </section>
  )
}

const NodeLinks = ({ nodes }: { nodes: GraphNode[] }) => (
  <ul>
    {nodes.map(({ id, name, href }) => (
      <li key={id}>{href ? <a href={href}>{name}</a> : name}</li>
    ))}
  </ul>
)
