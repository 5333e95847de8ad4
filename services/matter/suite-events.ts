import type { NewSuiteEvent } from '../_kit/event-outbox.ts'
import type { NewEvent } from './events.ts'
import type { Matter } from './matter.ts'

/** Events for people and webhooks that follow from a change of a matter. They hold keys and no content. */
export function suiteEventsOf(matter: Matter, version: number, change: NewEvent): NewSuiteEvent[] {
  const { id, organization_id, provider_organization_id, user_id } = matter
  const subject = { organization_id, provider_organization_id, user_id, matter_id: id }
  const todoKeys = keysOf(change.to.todos)
  const deliverableKeys = keysOf(change.to.deliverables)
  const data = { version, change: change.type }
  return [
    { ...subject, type: 'matter.updated', data },
    ...(change.type.startsWith('todo.') || todoKeys.length > 0
      ? [{ ...subject, type: 'todo.updated' as const, data: { ...data, todo_keys: todoKeys } }]
      : []),
    ...(deliverableKeys.length > 0
      ? [
          {
            ...subject,
            type: 'deliverable.released' as const,
            data: { ...data, deliverable_keys: deliverableKeys },
          },
        ]
      : []),
  ]
}

const keysOf = (members: unknown) =>
  members !== null && typeof members === 'object' ? Object.keys(members) : []
