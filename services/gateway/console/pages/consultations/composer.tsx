import { useRef } from 'preact/hooks'
import { type Store, useStore } from '../../store.ts'
import { formatNumber, t } from '../../text/text.ts'
import { Icon } from '../../ui/icon.tsx'
import type { MessageContent } from './message-draft.ts'
import { UploadList } from './upload-list.tsx'
import { useFileDrop } from './use-file-drop.ts'
import { useUploads } from './use-uploads.ts'

interface ComposerProps {
  draft: Store<MessageContent>
  isLocked: boolean
  /** Why the input is locked. */
  lockedHint?: string
  /** Stops the running turn. */
  onStop?: () => Promise<unknown>
  /** Sends the draft. */
  onSend: () => void
}

/** Number of characters that the service accepts. */
const maxLength = 20_000

/** Input of a message with files. Enter sends, Shift and Enter start a new line. */
export function Composer({ draft, isLocked, lockedHint, onStop, onSend }: ComposerProps) {
  const { text, files } = useStore(draft)
  const { uploads, addFiles, remove, retry, isBusy } = useUploads(files, (change) =>
    draft.set({ ...draft.get(), files: change(draft.get().files) }),
  )
  const isOver = useFileDrop(isLocked ? undefined : addFiles)
  const picker = useRef<HTMLInputElement>(null)
  const isTooLong = text.length > maxLength
  const canSend = !isLocked && !isBusy && !isTooLong && text.trim() !== ''
  const submit = () => {
    if (canSend) onSend()
  }
  return (
    <form
      class={isOver ? 'composer over' : 'composer'}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      {uploads.length > 0 && <UploadList uploads={uploads} onRemove={remove} onRetry={retry} />}
      <textarea
        rows={2}
        aria-label={t('composer.message')}
        aria-invalid={isTooLong}
        aria-describedby="composer-hint"
        placeholder={lockedHint ?? t('composer.placeholder')}
        disabled={isLocked}
        value={text}
        onInput={({ currentTarget }) => draft.set({ ...draft.get(), text: currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || isComposing(event)) return
          event.preventDefault()
          submit()
        }}
      />
      <div class="composer-actions">
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          onChange={({ currentTarget }) => {
            addFiles(currentTarget.files ?? [])
            currentTarget.value = ''
          }}
        />
        <button
          type="button"
          class="quiet"
          disabled={isLocked}
          onClick={() => picker.current?.click()}
        >
          <Icon name="attach" />
          {t('composer.attach')}
        </button>
        <span
          id="composer-hint"
          class={isTooLong ? 'field-error composer-error' : 'faint composer-hint'}
          role={isTooLong ? 'alert' : undefined}
        >
          {isTooLong
            ? t('composer.tooLong', {
                count: formatNumber(text.length),
                max: formatNumber(maxLength),
              })
            : t('composer.hint')}
        </span>
        {onStop ? (
          <button type="button" onClick={onStop}>
            <Icon name="stop" />
            {t('composer.stop')}
          </button>
        ) : (
          <button type="submit" class="primary" disabled={!canSend}>
            <Icon name="send" />
            {t('composer.send')}
          </button>
        )}
      </div>
    </form>
  )
}

/** Enter that chooses a word of an input method. Safari ends the composition before the key: code 229. */
const isComposing = (event: KeyboardEvent) => event.isComposing || event.keyCode === 229
