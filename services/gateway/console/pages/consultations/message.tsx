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

export const StoredMessage = memo(({ message }: { message: ConsultationMessage }) => {
  const { role, author_id, author_type, content, file_ids, created_at } = message
  const isOwn = role === 'USER' && author_id === me.get()?.id
  return (
    <Bubble
      isOwn={role === 'USER'}
      author={isOwn ? t('consultations.you') : translate('userType', author_type)}
      time={formatTime(created_at)}
    >
      {role === 'ASSISTANT' ? <Answer text={content} /> : <p class="plain">{content}</p>}
      {file_ids.length > 0 && <FileNames ids={file_ids} />}
    </Bubble>
  )
})

/** A finished answer. Citations of articles are buttons that open the article. */
function Answer({ text }: { text: string }) {
  const { renderText, panel } = useCitations(text)
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

/** The answer while it arrives, with the tasks of the assistant. */
export const RunningTurn = ({ turn }: { turn: Turn }) => (
  <Bubble isOwn={false} author={translate('userType', 'assistant')}>
    {turn.tasks.length > 0 && <Tasks tasks={turn.tasks} />}
    {turn.text ? (
      <Markdown text={turn.text} />
    ) : (
      <p class="faint working">
        <span class="spinner" aria-hidden="true" />
        {turn.progress ?? t('consultations.thinking')}
      </p>
    )}
  </Bubble>
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
