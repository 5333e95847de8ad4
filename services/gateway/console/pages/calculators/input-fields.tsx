import { useId } from 'preact/hooks'
import { t, translate } from '../../text/text.ts'
import { Icon } from '../../ui/icon.tsx'
import { faultText, formatLabel } from './calculation.ts'
import { type Draft, type DraftGroup, emptyDraft, type Faults, type InputSchema } from './inputs.ts'

interface FieldProps<D extends Draft> {
  calculator: string
  schema: InputSchema
  draft: D
  faults: Faults
  onChange: (draft: D) => void
}

/** Controls of all members of a schema. `prefix` is the path of the members. */
export const InputFields = (props: FieldProps<DraftGroup> & { prefix: string }) => {
  const { schema, draft, prefix, onChange, ...rest } = props
  return (
    <>
      {Object.entries(schema.properties ?? {}).map(([name, member]) => (
        <Field
          {...rest}
          key={name}
          schema={member}
          path={prefix + name}
          label={formatLabel(props.calculator, name)}
          required={schema.required?.includes(name) ?? false}
          draft={draft[name] ?? emptyDraft(member)}
          onChange={(next) => onChange({ ...draft, [name]: next })}
        />
      ))}
    </>
  )
}

interface LabelledProps<D extends Draft> extends FieldProps<D> {
  path: string
  label: string
  required: boolean
}

function Field(props: LabelledProps<Draft>) {
  const { schema, draft, onChange, ...rest } = props
  if (schema.type === 'array') {
    return <ListField {...rest} schema={schema} draft={draft as Draft[]} onChange={onChange} />
  }
  if (schema.type === 'object') {
    return (
      <fieldset class="input-group">
        <legend>{props.label}</legend>
        <InputFields
          {...rest}
          schema={schema}
          prefix={`${props.path}.`}
          draft={draft as DraftGroup}
          onChange={onChange}
        />
      </fieldset>
    )
  }
  return <TextField {...rest} schema={schema} draft={String(draft)} onChange={onChange} />
}

/** Entries that a person adds and removes, as payments of a loan. */
const ListField = (props: LabelledProps<Draft[]>) => {
  const { schema, draft, path, label, required, onChange, ...rest } = props
  const items = schema.items!
  const setEntry = (index: number, next: Draft) =>
    onChange(draft.map((each, other) => (other === index ? next : each)))
  return (
    <fieldset class="input-group">
      <legend>{label}</legend>
      {draft.map((entry, index) => (
        <div class="input-entry" key={index}>
          <Field
            {...rest}
            schema={items}
            path={`${path}.${index}`}
            label={t('calculators.entry', { label, number: index + 1 })}
            required={required}
            draft={entry}
            onChange={(next) => setEntry(index, next)}
          />
          <button
            type="button"
            class="quiet"
            aria-label={t('calculators.remove', { label, number: index + 1 })}
            onClick={() => onChange(draft.filter((_, other) => other !== index))}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
      {draft.length < (schema.maxItems ?? Number.POSITIVE_INFINITY) && (
        <button
          type="button"
          aria-label={t('calculators.add', { label })}
          onClick={() => onChange([...draft, emptyDraft(items)])}
        >
          <Icon name="plus" />
          {t('calculators.addEntry')}
        </button>
      )}
    </fieldset>
  )
}

const TextField = (props: LabelledProps<string>) => {
  const { calculator, schema, draft, path, label, required, faults, onChange } = props
  const id = useId()
  const fault = faults[path]
  const common = {
    id,
    'aria-invalid': fault !== undefined,
    'aria-describedby': `${id}-fault`,
    'aria-required': required,
  }
  return (
    <div class="input-field">
      <label for={id}>
        {label}
        {required ? (
          <span class="required" aria-hidden="true">
            {' *'}
          </span>
        ) : (
          <span class="faint">{` ${t('calculators.optional')}`}</span>
        )}
      </label>
      <TextControl schema={schema} draft={draft} common={common} onChange={onChange} />
      <p id={`${id}-fault`} class="field-error">
        {fault && faultText(calculator, fault)}
      </p>
    </div>
  )
}

interface ControlProps {
  schema: InputSchema
  draft: string
  common: { id: string; 'aria-required': boolean }
  onChange: (draft: string) => void
}

function TextControl({ schema, draft, common, onChange }: ControlProps) {
  const choices = schema.type === 'boolean' ? ['true', 'false'] : schema.enum
  if (choices) {
    return (
      <select
        {...common}
        value={draft}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        <option value="">{t('calculators.choose')}</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {translate('choice', choice)}
          </option>
        ))}
      </select>
    )
  }
  const text = {
    ...common,
    value: draft,
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
      onChange(currentTarget.value),
  }
  if (schema.format === 'date') return <input type="date" {...text} />
  return <input type="text" inputMode="decimal" autocomplete="off" {...text} />
}
