import * as z from 'zod'
import { type Config, type Data, type Executor, Paths, recordWithKey } from './executor.ts'

const Kb = z.looseObject({
  name: z.string().regex(/^sys_\w{1,190}$/, 'The name of a system base starts with sys_.'),
})
const Document = recordWithKey('document_id').and(
  z.looseObject({ content_file: z.string().min(1).max(500).optional() }),
)
type Document = z.output<typeof Document> & Record<string, unknown>

/** A list of documents for the base of the config, or an object that names its base. */
const File = z.preprocess(
  (file) => (Array.isArray(file) ? { documents: file } : file),
  z.object({ kb: Kb.optional(), documents: z.array(Document) }),
)
type File = z.output<typeof File>

/** Documents of system bases. `content_file` is the path of a document's text. */
export const systemKbDocuments: Executor = {
  kind: 'knowledge.seed.system_kb_documents.import',
  service: 'knowledge',
  path: '/api/v1/internal/seed/system-kb-documents/import',
  Config: z.object({ kb: Kb.optional(), documents_json: Paths }),
  files: { documents_json: File },
  texts: (data) =>
    documentFiles(data)
      .flatMap(({ documents }) => documents as Document[])
      .flatMap(({ content_file }) => content_file ?? []),
  exclusiveScopes: (config, data) =>
    [...groupByBase(config, data).keys()].map((name) => `the base ${name}`),
  requests: (config, data, texts) =>
    [...groupByBase(config, data).values()].map(({ kb, documents }) => ({
      kb,
      documents: documents.map((document) => withContent(document, texts)),
    })),
}

const documentFiles = (data: Data) => data.documents_json as File[]

/** Groups documents by base. An import replaces the whole base, so each base needs one request. */
function groupByBase(config: Config, data: Data) {
  const bases = new Map<string, { kb: z.output<typeof Kb>; documents: Document[] }>()
  for (const { kb = config.kb as z.output<typeof Kb> | undefined, documents } of documentFiles(
    data,
  )) {
    if (!kb) throw new Error('Missing kb.name in the config or in the file.')
    const before = bases.get(kb.name) ?? { kb, documents: [] }
    bases.set(kb.name, {
      kb: { ...before.kb, ...kb },
      documents: [...before.documents, ...documents] as Document[],
    })
  }
  return bases
}

function withContent({ content_file, ...document }: Document, texts: ReadonlyMap<string, string>) {
  return content_file === undefined ? document : { ...document, content: texts.get(content_file) }
}
