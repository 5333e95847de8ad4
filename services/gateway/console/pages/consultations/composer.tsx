import { useEffect, useRef, useState } from 'preact/hooks'
import { t } from '../../text/text.ts'
import { Icon } from '../../ui/icon.tsx'
import { UploadList } from './upload-list.tsx'
import { useUploads } from './use-uploads.ts'

interface ComposerProps {
  /** Names the draft, which is kept until the message is sent. */
  draftKey: string
  isLocked: boolean
  /** Why the input is locked. */
  lockedHint?: string
  /** Stops the running turn. */
  onStop?: () => Promise<unknown>
  /** Sends a message; false if that failed. */
  onSend: (content: string, fileIds: string[]) => Promise<boolean>
}

const maxLength = 20_000

/** Input of a message with files. Enter sends, Shift and Enter start a new line. */
export function Composer({ draftKey, isLocked, lockedHint, onStop, onSend }: ComposerProps) {
  const storageKey = `console.draft.${draftKey}`
  const [text, setText] = useState(() => localStorage.getItem(storageKey) ?? '')
  const [isOver, setOver] = useState(false)
  const { uploads, addFiles, remove, clear, fileIds, isBusy } = useUploads()
  const picker = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (text) localStorage.setItem(storageKey, text)
    else localStorage.removeItem(storageKey)
  }, [text])
  const canSend = !isLocked && !isBusy && text.trim() !== ''

  async function submit() {
    if (!canSend) return
    const sent = text
    setText('')
    clear()
    if (!(await onSend(sent, fileIds))) setText((typed) => typed || sent)
  }
  return (
    <form
      class={isOver ? 'composer over' : 'composer'}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        if (!isLocked) addFiles(event.dataTransfer?.files ?? [])
      }}
    >
      {uploads.length > 0 && <UploadList uploads={uploads} onRemove={remove} />}
      <textarea
        rows={2}
        maxLength={maxLength}
        aria-label={t('composer.message')}
        placeholder={lockedHint ?? t('composer.placeholder')}
        disabled={isLocked}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
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
        <span class="faint composer-hint">{t('composer.hint')}</span>
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
