import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { chunkText } from '../services/_kit/chunk/chunk.ts'
import { DocumentFields } from '../services/knowledge/document.ts'
import { lawKey } from '../services/knowledge/law/numerals.ts'
import { ElementKnowledgeMapping } from '../services/knowledge/seed/records.ts'
import { packagesDirectory, readDataFiles, readManifest } from './support/seed-packages.ts'

const packageId = 'knowledge_system_resources'
const root = join(packagesDirectory, packageId)
const packagePath = (path: string) => join(root, path.replace(/^\$\{PACKAGE_DIR\}\//, ''))
const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'))
const duplicates = (all: string[]) => all.filter((each, index) => all.indexOf(each) < index)

const Digest = DocumentFields.extend({
  document_id: z.string().regex(/^[a-z0-9_]+$/),
  content_file: z.string(),
  metadata: z.looseObject({
    checked: z.iso.date(),
    law: z.string().optional(),
    in_force_from: z.iso.date().optional(),
  }),
})

const Base = z.object({ kb: z.object({ name: z.string() }), documents: z.array(Digest) })

const manifest = readManifest(packageId)
const bases: z.output<typeof Base>[] = manifest.items
  .filter(({ kind }: any) => kind === 'knowledge.seed.system_kb_documents.import')
  .map(({ config }: any) => Base.parse(read(packagePath(config.documents_json))))
const documents = bases.flatMap(({ kb, documents }) =>
  documents.map((document) => {
    const content = readFileSync(packagePath(document.content_file), 'utf8')
    return { ...document, kb_id: kb.name, content, ...chunkText(content) }
  }),
)
type Document = (typeof documents)[number]
const mappings: any[] = read(join(root, 'data/mappings.json'))

/** Articles of a digest; each article is one section. */
const articles = ({ sections }: Document) =>
  sections.flatMap(({ section_id }) => /(?:^|\/)(第[^/]+条)$/.exec(section_id)?.[1] ?? [])

describe('the digests', () => {
  test('belong to four system bases', () => {
    expect(bases.map(({ kb }) => kb.name)).toEqual([
      'sys_statute_digests',
      'sys_interpretation_digests',
      'sys_case_patterns',
      'sys_guides',
    ])
  })

  test('have unique ids, and the lists name every text file', () => {
    expect(duplicates(documents.map(({ document_id }) => document_id))).toEqual([])
    const texts = readdirSync(join(root, 'data'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(root, 'data', name))
    expect(documents.map((one) => packagePath(one.content_file)).sort()).toEqual(texts.sort())
  })

  test.each(documents.map((one) => [one.document_id, one] as const))(
    '%s is chunked along its headings and ends with an English abstract',
    (_, { sections, chunks, content }) => {
      expect(sections.length).toBeGreaterThanOrEqual(2)
      expect(sections.at(-1)?.section_id).toBe('English abstract')
      expect(chunks.at(-1)?.content).not.toMatch(/\p{Script=Han}{12}/u)
      expect(chunks.every(({ section_id }) => section_id !== null)).toBe(true)
      expect(content.length).toBeGreaterThan(300)
      expect(content.length).toBeLessThan(4_000)
    },
  )

  test('of a law have its name as alias, and no article is digested twice', () => {
    const ofLaws = documents.filter(({ metadata }) => metadata.law)
    for (const { metadata, title } of ofLaws) {
      expect(metadata.aliases).toEqual([metadata.law])
      expect(lawKey(title)).not.toBe(lawKey(metadata.law!))
    }
    const all = ofLaws.flatMap((one) =>
      articles(one).map((article) => `${one.metadata.law} ${article}`),
    )
    expect(duplicates(all)).toEqual([])
  })
})

describe('the mappings', () => {
  const elements = new Set(
    readDataFiles('knowledge_structured_seeds', 'data/litigation').flatMap(({ records }) =>
      records.map(({ element_id }) => element_id),
    ),
  )
  const documentsByKey = new Map(
    documents.map((one) => [`${one.kb_id} ${one.document_id}`, one] as const),
  )

  test('fit the service schema and are unique', () => {
    for (const mapping of mappings) expect(ElementKnowledgeMapping.parse(mapping)).toEqual(mapping)
    const keys = mappings.map(({ relevance: _, ...place }) => JSON.stringify(place))
    expect(duplicates(keys)).toEqual([])
  })

  test('map existing elements to existing sections', () => {
    const wrong = mappings.filter(({ element_id, kb_id, document_id, section_id }) => {
      const place = documentsByKey.get(`${kb_id} ${document_id}`)
      const inside = (section: { section_id: string }) => section.section_id === section_id
      return !elements.has(element_id) || !place || (section_id && !place.sections.some(inside))
    })
    expect(wrong).toEqual([])
  })

  test('every element has a mapping', () => {
    const mappedElements = new Set(mappings.map(({ element_id }) => element_id))
    expect([...elements].filter((one) => !mappedElements.has(one))).toEqual([])
  })

  test('depend on the items of their documents', () => {
    const item = manifest.items.find(({ config }: any) => config.mappings_json)
    const others = manifest.items.filter((one: any) => one !== item)
    expect(item.depends_on).toEqual(others.map(({ item_id }: any) => item_id))
    expect(existsSync(packagePath(item.config.mappings_json))).toBe(true)
  })
})
