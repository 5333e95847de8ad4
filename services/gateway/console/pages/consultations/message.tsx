import type { ComponentChildren } from 'preact'
import { me } from '../../api/client.ts'
import type { ConsultationMessage } from '../../api/types.ts'
import { formatTime, t, translate } from '../../text/text.ts'
import { Icon } from '../../ui/icon.tsx'
import { memo } from '../../ui/memo.ts'
import { useCitations } from './citations.tsx'
import { FileNames } from './file-names.tsx'
import { Markdown } from './markdown.tsx'
import type { Task, Turn } from './turn.ts'

interface BubbleProps {
  isOwn: boolean
  author: string
  time?: string
  children: ComponentChildren
}

const Bubble = ({ isOwn, author, time, children }: BubbleProps) => (
  <article class={isOwn ? 'message own' : 'message'}>
    <p class="message-author">
      <strong>{author}</strong>
      {time && <time class="faint">{time}</time>}
    </p>
    <div class="message-body">{children}</div>
  </article>
)

interface ThreadEntryProps {
  message?: ConsultationMessage | undefined
  turn?: Turn | undefined
}

/**
 * A stored message, or the running turn that becomes one. Both are the same elements, so that a long answer is not
 * built again at its end.
 */
export const ThreadEntry = memo(({ message, turn }: ThreadEntryProps) => {
  const isOwn = message?.role === 'USER'
  const isMine = isOwn && message.author_id === me.get()?.id
  const isAnswer = message === undefined || message.role === 'ASSISTANT'
  const text = message?.content ?? turn?.text ?? ''
  return (
    <Bubble
      isOwn={isOwn}
      author={
        isMine ? t('consultations.you') : translate('userType', message?.author_type ?? 'assistant')
      }
      {...(message && { time: formatTime(message.created_at) })}
    >
      {turn && turn.tasks.length > 0 && <Tasks key="tasks" tasks={turn.tasks} />}
      {turn && text === '' && <Working key="working" progress={turn.progress} />}
      {isAnswer ? (
        <Answer key="answer" text={text} isComplete={message !== undefined} />
      ) : (
        <p key="plain" class="plain">
          {text}
        </p>
      )}
      {message && message.file_ids.length > 0 && <FileNames key="files" ids={message.file_ids} />}
    </Bubble>
  )
})

interface AnswerProps {
  text: string
  isComplete: boolean
}

/** An answer. Citations of articles become buttons when it is complete. */
function Answer({ text, isComplete }: AnswerProps) {
  const { renderText, panel } = useCitations(isComplete ? text : '')
  return (
    <>
      <Markdown text={text} renderText={renderText} />
      {panel}
    </>
  )
}

export const UnsentMessage = ({ content }: { content: string }) => (
  <Bubble isOwn author={t('consultations.you')}>
    <p class="plain">{content}</p>
  </Bubble>
)

const Working = ({ progress }: { progress: string | null }) => (
  <p class="faint working">
    <span class="spinner" aria-hidden="true" />
    {progress ?? t('consultations.thinking')}
  </p>
)

const Tasks = ({ tasks }: { tasks: Task[] }) => (
  <ul class="tasks">
    {tasks.map(({ id, title, status }) => (
      <li key={id}>
        {status === null ? <span class="spinner" aria-hidden="true" /> : <Icon name="check" />}
        {title}
      </li>
    ))}
  </ul>
)
