import { useId, useState } from 'preact/hooks'
import { useAction } from '../../api/use-action.ts'
import { t } from '../../text/text.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/state.tsx'

export interface RecordDraft {
  key: string
  description: string
  /** Value of a config, rules of a flag. */
  json: unknown
}

interface EditRecordProps {
  title: string
  jsonLabel: string
  /** The existing record, whose key stays; undefined for a new one. */
  existing: RecordDraft | undefined
  initialJson: unknown
  onSave: (draft: RecordDraft) => Promise<unknown>
  onClose: () => void
}

/** Dialog for a record with a key, a description and a JSON value. */
export function EditRecord(props: EditRecordProps) {
  const { title, jsonLabel, existing, initialJson, onSave, onClose } = props
  const [key, setKey] = useState(existing?.key ?? '')
  const [description, setDescription] = useState(existing?.description ?? '')
  const [text, setText] = useState(JSON.stringify(existing?.json ?? initialJson, null, 2))
  const [isInvalid, setIsInvalid] = useState(false)
  const action = useAction()
  const id = useId()
  async function save(event: Event) {
    event.preventDefault()
    const json = parseJson(text)
    setIsInvalid(json === undefined)
    if (json === undefined) return
    await action.run(async () => {
      await onSave({ key, description, json })
      onClose()
    })
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="inputs" onSubmit={save}>
        {existing === undefined && (
          <label class="input-field">
            {t('record.key')}
            <input
              type="text"
              required
              value={key}
              onInput={({ currentTarget }) => setKey(currentTarget.value)}
            />
          </label>
        )}
        <label class="input-field">
          {t('record.description')}
          <input
            type="text"
            value={description}
            onInput={({ currentTarget }) => setDescription(currentTarget.value)}
          />
        </label>
        <label class="input-field">
          {jsonLabel}
          <textarea
            class="code"
            rows={12}
            spellcheck={false}
            aria-invalid={isInvalid}
            aria-describedby={`${id}-fault`}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <p id={`${id}-fault`} class="field-error">
          {isInvalid && t('record.invalidJson')}
        </p>
        {action.error !== undefined && <Problem error={action.error} />}
        <button type="submit" class="primary" disabled={action.isRunning}>
          {t('record.save')}
        </button>
      </form>
    </Dialog>
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
