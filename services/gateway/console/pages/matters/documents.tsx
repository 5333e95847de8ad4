import { useState } from 'preact/hooks'
import type { Deliverable } from '../../api/types.ts'
import { formatTime, t } from '../../text/text.ts'
import { Icon } from '../../ui/icon.tsx'
import { DocumentPreview } from './document-preview.tsx'
import { downloadPath } from './download-path.ts'
import { VersionComparison } from './version-comparison.tsx'

interface Document {
  key: string
  word: Deliverable | undefined
  pdf: Deliverable | undefined
}

const pdfSuffix = /_pdf$/

/** Documents of a matter. A deliverable and its PDF are one document. */
function groupDocuments(deliverables: Deliverable[]): Document[] {
  const keys = new Set(deliverables.map((each) => each.deliverable_key.replace(pdfSuffix, '')))
  const find = (key: string) => deliverables.find((each) => each.deliverable_key === key)
  return [...keys].map((key) => ({ key, word: find(key), pdf: find(`${key}_pdf`) }))
}

interface DocumentsProps {
  matterId: string
  deliverables: Deliverable[]
}

export function Documents({ matterId, deliverables }: DocumentsProps) {
  const [opened, setOpened] = useState<Deliverable>()
  const [compared, setCompared] = useState<Deliverable>()
  const documents = groupDocuments(deliverables)
  return (
    <section class="panel-box" aria-labelledby="documents">
      <h2 id="documents">{t('documents.title')}</h2>
      {documents.length === 0 && <p class="faint">{t('documents.empty')}</p>}
      <ul class="rows">
        {documents.map(({ key, word, pdf }) => {
          const first = (word ?? pdf)!
          return (
            <li key={key} class="todo">
              <span>
                <strong>{first.title}</strong>
                <span class="faint">
                  {t('documents.version', { version: first.version })}
                  {' · '}
                  {formatTime(first.created_at)}
                </span>
              </span>
              <span class="row-details">
                {word && (
                  <button
                    type="button"
                    aria-label={t('documents.preview.of', { title: word.title })}
                    onClick={() => setOpened(word)}
                  >
                    {t('documents.preview')}
                  </button>
                )}
                {word && word.version > 1 && (
                  <button
                    type="button"
                    aria-label={t('documents.compare.of', { title: word.title })}
                    onClick={() => setCompared(word)}
                  >
                    {t('documents.compare')}
                  </button>
                )}
                {word && <Download deliverable={word} type="DOCX" />}
                {pdf && <OpenPdf deliverable={pdf} />}
                {pdf && <Download deliverable={pdf} type="PDF" />}
              </span>
            </li>
          )
        })}
      </ul>
      {opened && <DocumentPreview deliverable={opened} onClose={() => setOpened(undefined)} />}
      {compared && (
        <VersionComparison
          matterId={matterId}
          deliverable={compared}
          onClose={() => setCompared(undefined)}
        />
      )}
    </section>
  )
}

/** The PDF in a tab of its own, shown by the viewer of the browser. */
const OpenPdf = ({ deliverable }: { deliverable: Deliverable }) => {
  const path = downloadPath(deliverable)
  if (path === undefined) return null
  return (
    <a
      class="button"
      href={path}
      target="_blank"
      rel="noopener"
      aria-label={t('documents.openPdf.of', { title: deliverable.title })}
    >
      {t('documents.openPdf')}
    </a>
  )
}

const Download = ({ deliverable, type }: { deliverable: Deliverable; type: string }) => {
  const path = downloadPath(deliverable)
  if (path === undefined) return <span class="faint">{t('documents.unavailable')}</span>
  return (
    <a
      class="button"
      href={path}
      download=""
      aria-label={t('documents.download', { title: deliverable.title, type })}
    >
      <Icon name="download" />
      {type}
    </a>
  )
}
