import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { t } from '../text/text.ts'
import { Icon } from './icon.tsx'

interface DialogProps {
  title: string
  /** A panel is at the side of the page, so that the page stays readable. */
  kind?: 'panel' | 'centre'
  onClose: () => void
  children: ComponentChildren
}

/** A modal dialog. The browser keeps the focus inside and returns it at the end. */
export function Dialog({ title, kind = 'centre', onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => element.current?.showModal(), [])
  return (
    <dialog ref={element} class={kind} aria-labelledby={titleId} onClose={onClose}>
      <header>
        <h2 id={titleId}>{title}</h2>
        <button
          type="button"
          class="quiet"
          aria-label={t('state.close')}
          onClick={() => element.current?.close()}
        >
          <Icon name="close" />
        </button>
      </header>
      <div class="dialog-body">{children}</div>
    </dialog>
  )
}
