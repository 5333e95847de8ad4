import { readFileSync } from 'node:fs'
import { loadProfiles } from './profiles.ts'
import { collectLegalBases } from './sources.ts'

const root = 'seed_packages/knowledge_system_resources'
const lawBases = ['sys_statute_digests', 'sys_interpretation_digests']
const patternBase = 'sys_case_patterns'

interface Section {
  kb_id: string
  document_id: string
  section_id: string | null
}

const readDocuments = (base: string): any[] =>
  JSON.parse(readFileSync(`${root}/data/${base}.json`, 'utf8')).documents

/** Sections of the digests by law and article. */
function digestedArticles(): Map<string, Section> {
  const sections = new Map<string, Section>()
  for (const kb_id of lawBases) {
    for (const { document_id, content_file, metadata } of readDocuments(kb_id)) {
      let heading = ''
      const text = readFileSync(content_file.replace(/^\$\{PACKAGE_DIR\}/, root), 'utf8')
      for (const line of text.split('\n')) {
        heading = /^## (.+)$/.exec(line)?.[1] ?? heading
        const article = /^(第[^（]+条)（要旨）/u.exec(line)?.[1]
        if (!article) continue
        const section_id = `${heading}/${article}`
        sections.set(`${metadata.law} ${article}`, { kb_id, document_id, section_id })
      }
    }
  }
  return sections
}

/**
 * Leads from each element to the articles that it cites (relevance 1; its calculation .9, its defences
 * .8) and to the pattern of its cause (.5).
 */
export function elementMappings(): string {
  const sections = digestedArticles()
  const patterns = new Map<string, string>(
    readDocuments(patternBase).flatMap(({ document_id, metadata }) =>
      metadata.cause_of_action_codes.map((code: string) => [code, document_id] as const),
    ),
  )
  const mappings = loadProfiles().flatMap(({ record, elements }) =>
    elements.flatMap(({ element_id, legal_basis, calculation, defences }) => {
      const cited = [
        ...collectLegalBases({ legal_basis }).map((basis) => [basis, 1] as const),
        ...collectLegalBases(calculation).map((basis) => [basis, 0.9] as const),
        ...collectLegalBases(defences).map((basis) => [basis, 0.8] as const),
      ]
      const found = new Map<Section, number>()
      for (const [{ law, article }, relevance] of cited) {
        const section = sections.get(`${law} ${article}`)
        if (section && !found.has(section)) found.set(section, relevance)
      }
      const document_id = patterns.get(record.code)!
      const pattern = { kb_id: patternBase, document_id, section_id: null }
      return [...found, [pattern, 0.5] as const].map(([section, relevance]) => ({
        element_id,
        ...section,
        relevance,
      }))
    }),
  )
  return `${JSON.stringify(mappings, null, 2)}\n`
}
