import { useLayoutEffect, useRef } from 'preact/hooks'
import { useStore } from '../../store.ts'
import { t } from '../../text/text.ts'
import { useVirtual } from '../../ui/use-virtual.ts'
import type { Consultation } from './consultation.ts'
import { ThreadEntry, UnsentMessage } from './message.tsx'

/** Distance from the end in pixels within which the thread follows new text. */
const followDistance = 80

/** Messages of a consultation. Only those near the visible part are in the document. */
export function Thread({ consultation }: { consultation: Consultation }) {
  const { messages, unsent, turn } = useStore(consultation.state)
  const extra = [...(unsent === null ? [] : ['unsent']), ...(turn ? [turn.key] : [])]
  /** Keys of turns by the message that they became: its row stays the same. */
  const turnKeys = useRef(new Map<string, string>())
  if (turn?.messageId) turnKeys.current.set(turn.messageId, turn.key)
  const keyOf = (index: number) => {
    const message = messages[index]
    if (!message) return extra[index - messages.length]!
    return turnKeys.current.get(message.id) ?? message.id
  }
  const { scroller, rows, height, measure } = useVirtual({
    count: messages.length + extra.length,
    estimateHeight: 140,
    keyOf,
  })
  const isFollowing = useRef(true)
  // A person who sends a message looks at its answer.
  useLayoutEffect(() => {
    if (unsent !== null) isFollowing.current = true
  }, [unsent])
  useLayoutEffect(() => {
    const element = scroller.current!
    if (isFollowing.current) element.scrollTop = element.scrollHeight
  })
  return (
    <div
      class="thread"
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls takes the keyboard.
      tabIndex={0}
      role="log"
      aria-label={t('consultations.messages')}
      aria-live="off"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isFollowing.current = scrollHeight - scrollTop - clientHeight < followDistance
      }}
    >
      <div class="thread-rows" style={{ height: `${height}px` }}>
        {rows.map(({ index, key, start }) => (
          <div
            key={key}
            ref={measure}
            data-index={index}
            class="thread-row"
            style={{ transform: `translateY(${start}px)` }}
          >
            {extra[index - messages.length] === 'unsent' ? (
              <UnsentMessage content={unsent!} />
            ) : (
              <ThreadEntry
                message={messages[index]}
                turn={messages[index] ? undefined : (turn ?? undefined)}
              />
            )}
          </div>
        ))}
      </div>
      <p class="visually-hidden" role="status">
        {turn ? t('consultations.answering') : messages.length > 0 && t('consultations.ready')}
      </p>
    </div>
  )
}
