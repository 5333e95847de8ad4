import * as z from 'zod'
import { ExternalId, JsonObject } from '../../_kit/fields.ts'

export const GraphQuery = z.object({
  cause_of_action_codes: z.array(z.string().min(1).max(200)).max(100).optional(),
  element_ids: z.array(z.string().min(1).max(200)).max(100).optional(),
  document_ids: z.array(ExternalId).max(1_000).optional(),
  text: z.string().max(2_000).optional(),
  depth: z.int().min(1).max(3).default(1),
  limit: z.int().min(1).max(500).default(50),
})
export type GraphQuery = z.output<typeof GraphQuery>

export const Node = z.object({
  id: z.string(),
  label: z.string(),
  name: z.string(),
  properties: JsonObject,
})

export const Edge = z.object({ from: z.string(), to: z.string(), type: z.string() })

export const Subgraph = z.object({
  nodes: z.array(Node),
  edges: z.array(Edge),
  document_ids: z.array(z.string()),
})
export type Subgraph = z.infer<typeof Subgraph>

export const emptySubgraph: Subgraph = { nodes: [], edges: [], document_ids: [] }

export interface DesiredNode {
  id: string
  label: Label
  name: string
  properties: Record<string, string | number | boolean | null | readonly string[]>
}

export type Label = 'CauseOfAction' | 'Element' | 'Law' | 'Article' | 'Document' | 'Section'
export type EdgeType = 'PART_OF' | 'HAS_ELEMENT' | 'BASED_ON' | 'DESCRIBED_IN' | 'TEXT_OF'
export type DesiredEdge = z.infer<typeof Edge> & { type: EdgeType }

export interface DesiredGraph {
  nodes: DesiredNode[]
  edges: DesiredEdge[]
}

/** Graph database of causes of action, elements, laws and documents. Every call may fail. */
export interface Graph {
  /** Returns the neighbourhood of the named nodes, up to `depth` edges away. */
  query(question: GraphQuery): Promise<Subgraph>
  /** Makes the stored graph equal to the desired one; returns the number of changes. */
  sync(desired: DesiredGraph): Promise<number>
  /** Throws if the server does not respond. */
  check(): Promise<unknown>
  close(): Promise<unknown>
}
