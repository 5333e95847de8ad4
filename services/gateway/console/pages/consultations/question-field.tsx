import { useEffect, useId } from 'preact/hooks'
import type { Question, File as StoredFile } from '../../api/types.ts'
import { t } from '../../text/text.ts'
import type { DraftAnswer } from './answers.ts'
import { UploadList } from './upload-list.tsx'
import { useUploads } from './use-uploads.ts'

interface QuestionFieldProps {
  question: Question
  answer: DraftAnswer
  error: string | undefined
  onChange: (change: ChangeAnswer) => void
  onUploading: (isBusy: boolean) => void
}
/** Answers change by functions: an upload ends after other answers have changed. */
export type ChangeAnswer = (before: DraftAnswer) => DraftAnswer

interface ControlProps {
  id: string
  question: Question
  value: string | string[]
  files: StoredFile[]
  /** Attributes that every control of the question has. */
  common: {
    disabled: boolean
    'aria-invalid': boolean
    'aria-describedby': string
    'aria-required': boolean
  }
  onChange: (value: string | string[]) => void
  onFiles: (change: (before: StoredFile[]) => StoredFile[]) => void
  onUploading: (isBusy: boolean) => void
}

const groupTypes: Question['input_type'][] = ['boolean', 'select', 'multi_select', 'file']
/** Longer lists are a menu instead of buttons. */
const maxButtons = 6

/** A question of a card: prompt, control for its type, help, error, and the choice “I don't know”. */
export function QuestionField(props: QuestionFieldProps) {
  const { question, answer, error, onChange, onUploading } = props
  const id = useId()
  const { input_type, required, help, options = [] } = question
  const isGroup =
    groupTypes.includes(input_type) && !(input_type === 'select' && options.length > maxButtons)
  const prompt = (
    <>
      {question.question}
      {required && (
        <span class="required" title={t('card.required')}>
          {' *'}
        </span>
      )}
    </>
  )
  const control = (
    <Control
      id={id}
      question={question}
      value={answer.value}
      common={{
        disabled: answer.isUnknown,
        'aria-invalid': error !== undefined,
        'aria-describedby': `${id}-help`,
        'aria-required': required,
      }}
      files={answer.files ?? []}
      onChange={(value) => onChange((before) => ({ ...before, value }))}
      onFiles={(change) => onChange((before) => ({ ...before, files: change(before.files ?? []) }))}
      onUploading={onUploading}
    />
  )
  return (
    <div class="question">
      {isGroup ? (
        <fieldset aria-describedby={`${id}-help`}>
          <legend>{prompt}</legend>
          {control}
        </fieldset>
      ) : (
        <>
          <label for={id}>{prompt}</label>
          {control}
        </>
      )}
      <div id={`${id}-help`}>
        {help && <p class="faint">{help}</p>}
        {error !== undefined && <p class="field-error">{error}</p>}
      </div>
      <label class="check faint">
        <input
          type="checkbox"
          checked={answer.isUnknown}
          onChange={({ currentTarget: { checked } }) =>
            onChange((before) => ({ ...before, isUnknown: checked }))
          }
        />
        {t('card.unknown')}
      </label>
    </div>
  )
}

function Control(props: ControlProps) {
  const { id, question, value, common, onChange } = props
  const { input_type, options = [] } = question
  const text = typeof value === 'string' ? value : ''
  const onInput = ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
    onChange(currentTarget.value)
  switch (input_type) {
    case 'textarea':
      return <textarea id={id} rows={3} value={text} onInput={onInput} {...common} />
    case 'number':
      return <input id={id} inputMode="decimal" value={text} onInput={onInput} {...common} />
    case 'money':
      return (
        <span class="money">
          <span aria-hidden="true">{t('card.currency')}</span>
          <input id={id} inputMode="decimal" value={text} onInput={onInput} {...common} />
        </span>
      )
    case 'date':
      return <input id={id} type="date" value={text} onInput={onInput} {...common} />
    case 'boolean': {
      const choices = [
        { value: 'true', label: t('card.yes') },
        { value: 'false', label: t('card.no') },
      ]
      return <Choices {...props} options={choices} />
    }
    case 'select':
      if (options.length <= maxButtons) return <Choices {...props} options={options} />
      return (
        <select
          id={id}
          value={text}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
          {...common}
        >
          <option value="" />
          {options.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )
    case 'multi_select':
      return <Choices {...props} options={options} />
    case 'file':
      return <FileControl {...props} />
    default:
      return <input id={id} type="text" value={text} onInput={onInput} {...common} />
  }
}

type Option = { value: string; label: string }

/** Radio buttons for one choice, check boxes for several. */
const Choices = ({
  id,
  question,
  value,
  common,
  onChange,
  options,
}: ControlProps & { options: Option[] }) => {
  const isMany = question.input_type === 'multi_select'
  const chosen = Array.isArray(value) ? value : [value]
  const { disabled, 'aria-invalid': isInvalid } = common
  return (
    <div class="choices">
      {options.map(({ value: each, label }) => (
        <label class="check" key={each}>
          <input
            type={isMany ? 'checkbox' : 'radio'}
            name={id}
            disabled={disabled}
            aria-invalid={isInvalid}
            checked={chosen.includes(each)}
            onChange={({ currentTarget: { checked } }) => {
              if (!isMany) onChange(each)
              else onChange(checked ? [...chosen, each] : chosen.filter((other) => other !== each))
            }}
          />
          {label}
        </label>
      ))}
    </div>
  )
}

/** Uploads files; the answer is the list of their ids. */
function FileControl({ id, question, common, files, onFiles, onUploading }: ControlProps) {
  const { uploads, addFiles, remove, retry, isBusy } = useUploads(files, onFiles)
  useEffect(() => onUploading(isBusy), [isBusy])
  return (
    <>
      <input
        id={id}
        type="file"
        multiple
        aria-label={question.question}
        {...common}
        onChange={({ currentTarget }) => {
          addFiles(currentTarget.files ?? [])
          currentTarget.value = ''
        }}
      />
      {uploads.length > 0 && <UploadList uploads={uploads} onRemove={remove} onRetry={retry} />}
    </>
  )
}
