import { useState } from 'preact/hooks'
import { type Page, request } from '../../api/client.ts'
import type { KnowledgeBase, KnowledgeDocument, KnowledgeFile } from '../../api/types.ts'
import { useAction } from '../../api/use-action.ts'
import { useLoad } from '../../api/use-load.ts'
import type { PageProps } from '../../page-props.ts'
import { navigate } from '../../router.ts'
import { formatTime, t, translate } from '../../text/text.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { Badge, Empty, Loaded, Problem } from '../../ui/state.tsx'
import { uploadFile } from '../consultations/upload.ts'
import { Jobs } from './jobs.tsx'
import { KnowledgeLayout, knowledgePath } from './knowledge.tsx'

interface BaseDetails {
  base: KnowledgeBase
  files: KnowledgeFile[]
  documents: Page<KnowledgeDocument>
}

async function loadBase(id: string, signal: AbortSignal): Promise<BaseDetails> {
  const path = `${knowledgePath}/bases/${id}`
  const [base, files, documents] = await Promise.all([
    request<KnowledgeBase>(path, { signal }),
    request<Page<KnowledgeFile>>(`${path}/files?size=200`, { signal }),
    request<Page<KnowledgeDocument>>(`${path}/documents?size=200`, { signal }),
  ])
  return { base, files: files.items, documents }
}

/** One knowledge base: its files, documents and jobs. System bases are read only. */
export default function BasePage({ params: { id } }: PageProps) {
  const load = useLoad(`base ${id}`, (signal) => loadBase(id!, signal))
  const [uploads, setUploads] = useState(0)
  const title = load.data ? translate('base', load.data.base.name) : t('knowledge.bases')
  return (
    <KnowledgeLayout heading={title}>
      <Loaded load={load}>
        {({ base, files, documents }) => (
          <>
            {base.description && <p>{base.description}</p>}
            {!base.system && (
              <>
                <Files
                  base={base}
                  files={files}
                  onUpload={() => setUploads(uploads + 1)}
                  onChange={load.reload}
                />
                <Jobs key={uploads} baseId={base.id} onEnd={load.reload} />
              </>
            )}
            <Documents documents={documents} />
            {!base.system && <DeleteBase base={base} />}
          </>
        )}
      </Loaded>
    </KnowledgeLayout>
  )
}

interface FilesProps {
  base: KnowledgeBase
  files: KnowledgeFile[]
  onUpload: () => void
  onChange: () => void
}

function Files({ base, files, onUpload, onChange }: FilesProps) {
  const [error, setError] = useState<unknown>()
  const [sent, setSent] = useState<number>()
  const path = `${knowledgePath}/bases/${base.id}/files`
  async function attach(list: FileList | null) {
    setError(undefined)
    try {
      for (const file of list ?? []) {
        setSent(0)
        const { fileId, filename } = await uploadFile(file, setSent)
        await request(path, { method: 'POST', body: { file_id: fileId, title: filename } })
      }
      onUpload()
      onChange()
    } catch (thrown) {
      setError(thrown)
    }
    setSent(undefined)
  }
  async function remove(file: KnowledgeFile) {
    setError(undefined)
    try {
      await request(`${path}/${encodeURIComponent(file.file_id)}`, { method: 'DELETE' })
      onChange()
    } catch (thrown) {
      setError(thrown)
    }
  }
  return (
    <section class="panel-box" aria-labelledby="files">
      <h2 id="files">{t('bases.files')}</h2>
      <label class="upload">
        <span>{t('bases.attach')}</span>
        <input
          type="file"
          multiple
          disabled={sent !== undefined}
          onChange={({ currentTarget }) => attach(currentTarget.files)}
        />
      </label>
      {sent !== undefined && <progress aria-label={t('bases.uploading')} value={sent} />}
      {error !== undefined && <Problem error={error} />}
      {files.length === 0 && <p class="faint">{t('bases.files.empty')}</p>}
      <ul class="rows">
        {files.map((file) => (
          <li key={file.file_id} class="todo">
            <span>
              <strong>{file.title ?? file.file_id}</strong>
              <span class="faint">{formatTime(file.created_at)}</span>
              {file.error && <span class="field-error">{file.error}</span>}
            </span>
            <span class="row-details">
              <Badge
                tone={file.status === 'FAILED' ? 'bad' : 'neutral'}
                text={translate('indexStatus', file.status)}
              />
              <button
                type="button"
                aria-label={t('bases.remove.file', { title: file.title ?? file.file_id })}
                onClick={() => remove(file)}
              >
                {t('bases.remove')}
              </button>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

const Documents = ({ documents }: { documents: Page<KnowledgeDocument> }) => (
  <section class="panel-box" aria-labelledby="documents">
    <h2 id="documents">{t('bases.documents', { count: documents.total })}</h2>
    {documents.items.length === 0 && <Empty title={t('bases.documents.empty')} />}
    <ul class="rows">
      {documents.items.map((document) => (
        <li key={document.document_id} class="todo">
          <a
            href={`/knowledge?${new URLSearchParams({ q: document.title, base: document.kb_id })}`}
          >
            {document.title}
          </a>
          <Badge tone="neutral" text={translate('docType', document.doc_type)} />
        </li>
      ))}
    </ul>
  </section>
)

function DeleteBase({ base }: { base: KnowledgeBase }) {
  const action = useAction()
  const remove = async () => {
    await request(`${knowledgePath}/bases/${base.id}`, { method: 'DELETE' })
    navigate('/knowledge/bases')
  }
  return (
    <div class="row-details">
      <ConfirmButton text={t('bases.delete')} onConfirm={() => action.run(remove)} />
      {action.error !== undefined && <Problem error={action.error} />}
    </div>
  )
}
