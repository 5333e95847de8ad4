import * as z from 'zod'
import type { Sql } from '../../_kit/sql/sql.ts'
import { articleKey, lawKey } from '../law/numerals.ts'
import {
  CauseOfActionProfile,
  ElementKnowledgeMapping,
  LitigationElement,
} from '../seed/records.ts'
import type { EdgeType, Whole, WrittenEdge, WrittenNode } from './graph.ts'

const Document = z.object({
  base_id: z.string(),
  base_name: z.string(),
  document_id: z.string(),
  title: z.string(),
  doc_type: z.string(),
})
type Document = z.infer<typeof Document>

/**
 * What the graph is to hold, from the database: causes of action, their elements, the articles these
 * rest on, the documents of the system bases. What belongs to an organization is not in it.
 */
export async function wholeGraph(sql: Sql): Promise<Whole> {
  const [causes, elements, mappings, documents] = await Promise.all([
    recordsOf(sql, 'cause_of_action', CauseOfActionProfile),
    recordsOf(sql, 'element', LitigationElement),
    recordsOf(sql, 'mapping', ElementKnowledgeMapping),
    sql.rows(Document)`
      select base.id as base_id, base.name as base_name, document_id, title, doc_type
      from knowledge.documents join knowledge.bases base on base.no = base
      where organization_id is null order by base.no, document_id`,
  ])
  const nodes = new Map<string, WrittenNode>()
  const edges: WrittenEdge[] = []
  const add = (node: WrittenNode) => {
    if (!nodes.has(node.id)) nodes.set(node.id, node)
    return node.id
  }
  const join = (from: string, type: EdgeType, to: string) => edges.push({ from, type, to })

  for (const { code, name, aliases, parent_code } of causes) {
    const names = namesOf([name, ...aliases])
    add({ id: `cause:${code}`, label: 'CauseOfAction', name, properties: { code, names } })
    if (parent_code) join(`cause:${code}`, 'PART_OF', `cause:${parent_code}`)
  }
  for (const document of documents) {
    const { document_id, title, doc_type, base_id } = document
    const properties = { document_id, doc_type, kb_id: base_id }
    const id = add({ id: idOf(document), label: 'Document', name: title, properties })
    if (doc_type === 'statute') join(id, 'TEXT_OF', add(lawNode(title)))
  }
  for (const element of elements) {
    const { element_id, name, burden_of_proof, cause_of_action_code } = element
    const properties = { element_id, burden_of_proof }
    const id = add({ id: `element:${element_id}`, label: 'Element', name, properties })
    join(`cause:${cause_of_action_code}`, 'HAS_ELEMENT', id)
    for (const { law, article } of element.legal_basis) {
      const number = articleKey(article) ?? article
      const own = { law, article: number }
      const title = `${law} ${article}`
      const articleId = `article:${lawKey(law)}:${number}`
      join(id, 'BASED_ON', add({ id: articleId, label: 'Article', name: title, properties: own }))
      join(articleId, 'PART_OF', add(lawNode(law)))
    }
  }
  for (const { element_id, kb_id, document_id, section_id } of mappings) {
    const document = documents.find(
      (each) => each.document_id === document_id && [each.base_id, each.base_name].includes(kb_id),
    )
    if (!document) continue
    join(`element:${element_id}`, 'TOLD_BY', idOf(document))
    if (!section_id) continue
    const id = `section:${document.base_id}:${document_id}:${section_id}`
    add({ id, label: 'Section', name: section_id, properties: { document_id, section_id } })
    join(`element:${element_id}`, 'TOLD_BY', id)
    join(id, 'PART_OF', idOf(document))
  }
  const known = (id: string) => nodes.has(id)
  return {
    nodes: [...nodes.values()],
    edges: edges.filter(({ from, to }) => known(from) && known(to)),
  }
}

async function recordsOf<T>(sql: Sql, kind: string, schema: z.ZodType<T>): Promise<T[]> {
  const rows = await sql.rows(z.object({ record: z.unknown() }))`
    select record from knowledge.records where kind = ${kind} order by key`
  return rows.map(({ record }) => schema.parse(record))
}

const idOf = ({ base_id, document_id }: Document) => `document:${base_id}:${document_id}`

const lawNode = (law: string): WrittenNode => ({
  id: `law:${lawKey(law)}`,
  label: 'Law',
  name: law,
  properties: { names: namesOf([lawKey(law)]) },
})

/** Names by which a text may speak of it; one character tells nothing. */
const namesOf = (names: readonly string[]) =>
  [...new Set(names.map((name) => name.toLowerCase()))].filter((name) => name.length > 1)
