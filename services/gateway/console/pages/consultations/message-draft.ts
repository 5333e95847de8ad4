import type { File as StoredFile } from '../../api/types.ts'
import { personalKey, readStored, removeStored, writeStored } from '../../storage.ts'
import { makeStore, type Store } from '../../store.ts'

/** Text and files of a message before it is sent. */
export interface MessageContent {
  text: string
  files: StoredFile[]
}

const empty: MessageContent = { text: '', files: [] }

/** The message that a person is writing. The browser keeps it until it is sent. */
export function makeMessageDraft(name: string): Store<MessageContent> {
  const key = personalKey(`draft.${name}`)
  const draft = makeStore({ ...empty, ...readStored<Partial<MessageContent>>(key) })
  draft.subscribe(() => {
    const { text, files } = draft.get()
    if (text === '' && files.length === 0) removeStored(key)
    else writeStored(key, { text, files })
  })
  return draft
}

export const clearDraft = (draft: Store<MessageContent>) => draft.set(empty)

/** Puts a refused message back, unless the person has written another one meanwhile. */
export function restoreDraft(draft: Store<MessageContent>, { text, files }: MessageContent) {
  if (draft.get().text.trim() === '') draft.set({ text, files })
}

/** A message on its way. Its id makes a repetition join the turn that the first request started. */
export interface UnsentMessage extends MessageContent {
  client_message_id: string
}

/** Messages that the service has not confirmed, by session. They are sent again after a reload. */
export function makeUnsent(sessionId: string) {
  const key = personalKey(`unsent.${sessionId}`)
  return {
    read: () => readStored<UnsentMessage>(key),
    write({ text, files }: MessageContent): UnsentMessage {
      const message = { text, files, client_message_id: crypto.randomUUID() }
      writeStored(key, message)
      return message
    },
    remove: () => removeStored(key),
  }
}
