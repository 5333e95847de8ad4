import { useState } from 'preact/hooks'
import { t } from '../text/text.ts'

interface ConfirmButtonProps {
  text: string
  /** Name for screen readers where several buttons have the same text. */
  label?: string
  onConfirm: () => void
}

/** A button that asks once more before it does something that cannot be undone. */
export function ConfirmButton({ text, label = text, onConfirm }: ConfirmButtonProps) {
  const [asks, setAsks] = useState(false)
  if (!asks) {
    return (
      <button type="button" aria-label={label} onClick={() => setAsks(true)}>
        {text}
      </button>
    )
  }
  return (
    <span class="confirm">
      <button
        type="button"
        class="danger"
        aria-label={t('state.confirm', { action: label })}
        onClick={() => {
          setAsks(false)
          onConfirm()
        }}
      >
        {t('state.confirm', { action: text })}
      </button>
      <button type="button" class="quiet" onClick={() => setAsks(false)}>
        {t('state.cancel')}
      </button>
    </span>
  )
}
