import type * as z from 'zod'
import { Fault, notFound } from '../../services/_kit/fault.ts'
import type { Client } from '../../services/_kit/peer.ts'
import type { Tool } from '../../services/ai-engine/skill.ts'
import { bindTools } from '../../services/ai-engine/tools.ts'
import { inForceOn, type Laws, loadExcerpt } from './law/editions.ts'
import { readDataFiles } from './seed-packages.ts'

const packageId = 'knowledge_structured_seeds'

export const seedProfiles = () =>
  readDataFiles(packageId, 'data/profiles').flatMap(({ records }) => records)

/** Data of knowledge-service for a request: the causes of the seed packages and the law that they cite. */
export function seedResponses(): (path: string, body?: any) => unknown {
  const laws = loadExcerpt()
  const profiles = seedProfiles()
  const elements = readDataFiles(packageId, 'data/litigation').flatMap(({ records }) => records)
  const checklists = readDataFiles(packageId, 'data/checklists').flatMap(({ records }) => records)
  return (path, body) => {
    if (path.endsWith('/citations/verify'))
      return {
        citations: body.citations.map((each: any) => verifyCitation(laws, each, body.as_of)),
      }
    if (path.endsWith('/graph-rag-search')) return { hits: [] }
    if (/\/checklists(?:\?|$)/.test(path)) return { items: checklists }
    const code = /causes-of-action\/([\w.:-]+)$/.exec(path)?.[1]
    if (code === undefined) {
      const size = { page: 1, size: 200, total: profiles.length, total_pages: 1 }
      return { items: profiles, next_cursor: null, ...size }
    }
    const profile = profiles.find((each) => each.code === code)
    if (!profile) throw notFound(`cause of action ${code}`)
    return { ...profile, elements: elements.filter((one) => one.cause_of_action_code === code) }
  }
}

/** Verifies a citation against the excerpt of the law. */
function verifyCitation(
  laws: Laws,
  { law, article, quote }: { law: string; article: string; quote?: string },
  as_of: string,
) {
  const content = inForceOn(laws, law, as_of)?.articles.get(article)?.join('') ?? null
  const plain = (text: string) => text.replace(/\s/g, '')
  const quote_matches =
    quote === undefined || content === null ? null : plain(content).includes(plain(quote))
  return { law, article, found: content !== null, in_force: content !== null, quote_matches }
}

/** A knowledge-service that holds the causes of the seed packages. */
export function seedKnowledge(): Client {
  const respond = seedResponses()
  const request = async (schema: z.ZodType, path: string, options?: { body?: unknown }) =>
    schema.parse(respond(path, options?.body))
  return { request } as unknown as Client
}

/** A parsed file of a test, by its id. Text null: the file cannot be parsed. */
export type TestFiles = Record<string, { filename: string; text: string | null }>

/** Data of files-service for a path, for files that are parsed already. */
export function respondWithFile(files: TestFiles, path: string): unknown {
  const [, id = '', part] = /files\/([^/]+)(?:\/(text|parse))?$/.exec(path) ?? []
  const file = files[decodeURIComponent(id)]
  if (!file) throw notFound('file')
  const parseStatus = file.text === null ? 'UNSUPPORTED' : 'SUCCEEDED'
  if (part === 'parse') return { fileId: id, parseStatus }
  if (part === undefined) return { filename: file.filename, contentType: 'text/plain', parseStatus }
  if (file.text === null) throw new Fault('CONFLICT', 'The file has no text.')
  return {
    text: file.text,
    pages: file.text.split('\f').length,
    language: null,
    truncated: false,
  }
}

/** Tools of the engine on that knowledge-service and on these files. */
export function seedCauseTools(files: TestFiles = {}): Record<string, Tool> {
  const request = async (schema: z.ZodType, path: string) =>
    schema.parse(respondWithFile(files, path))
  const names = [
    ...['recognize_cause', 'legal_elements', 'load_cause', 'load_file'],
    ...['research_law', 'verify_citations', 'load_checklist'],
  ]
  const bound = bindTools(names, {
    headers: { 'x-organization-id': 'o' },
    readerHeaders: { 'x-organization-id': 'o' },
    client_id: 'u',
    matter_id: null,
    file_ids: Object.keys(files),
    today: '2026-06-15',
    memory: {} as Client,
    files: { request } as unknown as Client,
    knowledge: seedKnowledge(),
  })
  return Object.fromEntries(Object.entries(bound).map(([name, { run }]) => [name, run]))
}
