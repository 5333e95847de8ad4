import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError } from '../../api/client.ts'
import type { Card } from '../../api/types.ts'
import { t, translate } from '../../text/text.ts'
import { Badge } from '../../ui/state.tsx'
import { buildAnswers, collectErrors, type Draft, readDraft, saveDraft } from './answers.ts'
import type { Consultation } from './consultation.ts'
import { type ChangeAnswer, QuestionField } from './question-field.tsx'

interface CardFormProps {
  card: Card
  /** Hidden while its answers are sent; a refused answer shows it again with the errors. */
  isHidden: boolean
  consultation: Consultation
}

/** Questions of the assistant. The input of messages is locked until they are answered or skipped. */
export function CardForm({ card, isHidden, consultation }: CardFormProps) {
  const [draft, setDraft] = useState<Draft>(() => readDraft(card))
  const [errors, setErrors] = useState<Record<string, string>>({})
  const heading = useRef<HTMLHeadingElement>(null)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  useEffect(() => {
    const firstInvalid = Object.keys(errors).length > 0 && form.current
    if (firstInvalid) firstInvalid.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [errors])

  const change = (key: string, changeAnswer: ChangeAnswer) =>
    setDraft((before) => ({ ...before, [key]: changeAnswer(before[key]!) }))
  const isFirst = useRef(true)
  useEffect(() => {
    if (!isFirst.current) saveDraft(card, draft)
    isFirst.current = false
  }, [draft])
  const [uploading, setUploading] = useState<Record<string, boolean>>({})
  const isUploading = Object.values(uploading).includes(true)

  async function submit() {
    const { answers, errors } = buildAnswers(card, draft)
    setErrors(errors)
    if (Object.keys(errors).length > 0) return
    const failure = await consultation.answerCard(card, answers)
    if (failure instanceof ApiError) setErrors(collectErrors(failure.issues, answers))
  }
  return (
    <form
      class="card"
      ref={form}
      noValidate
      hidden={isHidden}
      aria-labelledby="card-title"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <header>
        <h2 id="card-title" ref={heading} tabIndex={-1}>
          {card.title}
        </h2>
        <Badge tone="info" text={translate('reviewType', card.review_type)} />
      </header>
      <div class="card-questions">
        {card.questions.map((question) => (
          <QuestionField
            key={question.field_key}
            question={question}
            answer={draft[question.field_key]!}
            error={errors[question.field_key]}
            onChange={(changeAnswer) => change(question.field_key, changeAnswer)}
            onUploading={(isBusy) =>
              setUploading((before) => ({ ...before, [question.field_key]: isBusy }))
            }
          />
        ))}
      </div>
      <footer>
        <span class="faint">{t('card.legend')}</span>
        {card.skippable && (
          <button type="button" onClick={() => consultation.skipCard(card)}>
            {t('card.skip')}
          </button>
        )}
        <button type="submit" class="primary" disabled={isUploading}>
          {t('card.submit')}
        </button>
      </footer>
    </form>
  )
}
