import { t, translate } from '../../text/text.ts'
import { Icon } from '../../ui/icon.tsx'
import { errorText } from '../../ui/state.tsx'
import type { Upload } from './use-uploads.ts'

interface UploadListProps {
  uploads: Upload[]
  onRemove: (key: string) => void
  onRetry: (key: string) => void
}

/** Files that were added, with the progress of the upload and the state of their text. */
export const UploadList = ({ uploads, onRemove, onRetry }: UploadListProps) => (
  <ul class="uploads">
    {uploads.map((upload) => (
      <li key={upload.key}>
        <span class="row-title">{upload.name}</span>
        <UploadState upload={upload} />
        {upload.error !== undefined && (
          <button
            type="button"
            class="quiet"
            aria-label={t('files.retry', { name: upload.name })}
            onClick={() => onRetry(upload.key)}
          >
            {t('state.retry')}
          </button>
        )}
        <button
          type="button"
          class="quiet"
          aria-label={t('files.remove', { name: upload.name })}
          onClick={() => onRemove(upload.key)}
        >
          <Icon name="close" />
        </button>
      </li>
    ))}
  </ul>
)

function UploadState({ upload: { name, part, file, error } }: { upload: Upload }) {
  if (error !== undefined) return <span class="faint bad">{errorText(error)}</span>
  if (file) return <span class="faint">{translate('parseStatus', file.parseStatus)}</span>
  return <progress value={part} aria-label={t('files.uploading', { name })} />
}
