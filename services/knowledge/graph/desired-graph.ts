import * as z from 'zod'
import type { Sql } from '../../_kit/sql/sql.ts'
import { articleKey, lawKey } from '../law/numerals.ts'
import {
  CauseOfActionProfile,
  ElementKnowledgeMapping,
  LitigationElement,
} from '../seed/records.ts'
import type { DesiredEdge, DesiredGraph, DesiredNode, EdgeType } from './graph.ts'

const DocumentRow = z.object({
  base_id: z.string(),
  base_name: z.string(),
  document_id: z.string(),
  title: z.string(),
  doc_type: z.string(),
})
type DocumentRow = z.infer<typeof DocumentRow>

/**
 * Loads the desired graph: causes of action, their elements, the articles they are based on, and the
 * documents of system bases. It contains nothing of an organization.
 */
export async function loadDesiredGraph(sql: Sql): Promise<DesiredGraph> {
  const [causes, elements, mappings, documents] = await Promise.all([
    loadRecords(sql, 'cause_of_action', CauseOfActionProfile),
    loadRecords(sql, 'element', LitigationElement),
    loadRecords(sql, 'mapping', ElementKnowledgeMapping),
    sql.rows(DocumentRow)`
      select base.id as base_id, base.name as base_name, document_id, title, doc_type
      from knowledge.documents join knowledge.bases base on base.no = base
      where organization_id is null order by base.no, document_id`,
  ])
  const nodes = new Map<string, DesiredNode>()
  const edges: DesiredEdge[] = []
  const addNode = (node: DesiredNode) => {
    if (!nodes.has(node.id)) nodes.set(node.id, node)
    return node.id
  }
  const addEdge = (from: string, type: EdgeType, to: string) => edges.push({ from, type, to })

  for (const { code, name, aliases, parent_code } of causes) {
    const names = normalizeNames([name, ...aliases])
    addNode({ id: `cause:${code}`, label: 'CauseOfAction', name, properties: { code, names } })
    if (parent_code) addEdge(`cause:${code}`, 'PART_OF', `cause:${parent_code}`)
  }
  for (const document of documents) {
    const { document_id, title, doc_type, base_id } = document
    const properties = { document_id, doc_type, kb_id: base_id }
    const id = addNode({ id: documentNodeId(document), label: 'Document', name: title, properties })
    if (doc_type === 'statute') addEdge(id, 'TEXT_OF', addNode(lawNode(title)))
  }
  for (const element of elements) {
    const { element_id, name, burden_of_proof, cause_of_action_code } = element
    const properties = { element_id, burden_of_proof }
    const id = addNode({ id: `element:${element_id}`, label: 'Element', name, properties })
    addEdge(`cause:${cause_of_action_code}`, 'HAS_ELEMENT', id)
    for (const { law, article } of element.legal_basis) {
      const number = articleKey(article) ?? article
      const own = { law, article: number }
      const title = `${law} ${article}`
      const articleId = `article:${lawKey(law)}:${number}`
      addEdge(
        id,
        'BASED_ON',
        addNode({ id: articleId, label: 'Article', name: title, properties: own }),
      )
      addEdge(articleId, 'PART_OF', addNode(lawNode(law)))
    }
  }
  for (const { element_id, kb_id, document_id, section_id } of mappings) {
    const document = documents.find(
      (each) => each.document_id === document_id && [each.base_id, each.base_name].includes(kb_id),
    )
    if (!document) continue
    addEdge(`element:${element_id}`, 'DESCRIBED_IN', documentNodeId(document))
    if (!section_id) continue
    const id = `section:${document.base_id}:${document_id}:${section_id}`
    addNode({ id, label: 'Section', name: section_id, properties: { document_id, section_id } })
    addEdge(`element:${element_id}`, 'DESCRIBED_IN', id)
    addEdge(id, 'PART_OF', documentNodeId(document))
  }
  const hasNode = (id: string) => nodes.has(id)
  return {
    nodes: [...nodes.values()],
    edges: edges.filter(({ from, to }) => hasNode(from) && hasNode(to)),
  }
}

async function loadRecords<T>(sql: Sql, kind: string, schema: z.ZodType<T>): Promise<T[]> {
  const rows = await sql.rows(z.object({ record: z.unknown() }))`
    select record from knowledge.records where kind = ${kind} order by key`
  return rows.map(({ record }) => schema.parse(record))
}

const documentNodeId = ({ base_id, document_id }: DocumentRow) =>
  `document:${base_id}:${document_id}`

const lawNode = (law: string): DesiredNode => ({
  id: `law:${lawKey(law)}`,
  label: 'Law',
  name: law,
  properties: { names: normalizeNames([lawKey(law)]) },
})

/** Names to look for in a text. One character is too short to identify anything. */
const normalizeNames = (names: readonly string[]) =>
  [...new Set(names.map((name) => name.toLowerCase()))].filter((name) => name.length > 1)
