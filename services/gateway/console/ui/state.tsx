import type { ComponentChildren } from 'preact'
import { ApiError } from '../api/client.ts'
import type { Load } from '../api/use-load.ts'
import { t, translate } from '../text/text.ts'
import { Icon } from './icon.tsx'
import { usePageTitle } from './page-title.ts'

export const Loading = () => (
  <p class="loading" role="status">
    <span class="spinner" aria-hidden="true" />
    {t('state.loading')}
  </p>
)

interface EmptyProps {
  title: string
  hint?: string
  children?: ComponentChildren
}

/** Shown in place of a list without entries: what the list is for, and a way on. */
export const Empty = ({ title, hint, children }: EmptyProps) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    {hint && <p>{hint}</p>}
    {children}
  </div>
)

/** Message for a failed request in the language of the reader. */
export function errorText(error: unknown): string {
  if (!(error instanceof ApiError)) return t('error.INTERNAL')
  return translateError(error.code, error.message)
}

/** Text of an error code, or the message of the service if the catalogue lacks the code. */
export function translateError(code: string, message: string): string {
  const text = translate('error', code)
  return text === code ? message : text
}

interface ProblemProps {
  error: unknown
  onRetry?: () => void
}

export const Problem = ({ error, onRetry }: ProblemProps) => (
  <div class="problem" role="alert">
    <Icon name="alert" />
    <div>
      <p class="problem-title">{t('error.title')}</p>
      <p>{errorText(error)}</p>
      {error instanceof ApiError && error.requestId && error.status >= 500 && (
        <p class="faint">{t('error.request', { id: error.requestId })}</p>
      )}
      {onRetry && (
        <button type="button" onClick={onRetry}>
          {t('state.retry')}
        </button>
      )}
    </div>
  </div>
)

interface LoadedProps<T> {
  load: Load<T>
  children: (data: T) => ComponentChildren
}

/** Shows loaded data, or the state of its load. An error after a success is shown above the old data. */
export function Loaded<T>({ load, children }: LoadedProps<T>) {
  const { data, error, reload } = load
  if (data === undefined) return error ? <Problem error={error} onRetry={reload} /> : <Loading />
  return (
    <>
      {error && <Problem error={error} onRetry={reload} />}
      {children(data)}
    </>
  )
}

interface HeadingProps {
  text: string
  children?: ComponentChildren
}

/** Heading of a page with its actions. The shell moves the focus here after navigation. */
export function PageHeading({ text, children }: HeadingProps) {
  usePageTitle(text)
  return (
    <header class="page-heading">
      <h1 tabIndex={-1}>{text}</h1>
      {children}
    </header>
  )
}

/** Label of a state, coloured by its tone. */
export const Badge = ({ tone, text }: { tone: Tone; text: string }) => (
  <span class={`badge ${tone}`}>{text}</span>
)
export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'info'
