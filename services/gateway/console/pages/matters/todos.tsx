import { useState } from 'preact/hooks'
import { request } from '../../api/client.ts'
import type { Todo } from '../../api/types.ts'
import { formatDate, t, translate } from '../../text/text.ts'
import { Badge, Problem } from '../../ui/state.tsx'
import { formatTodo } from './format-todo.ts'
import { mattersPath } from './matter-labels.ts'

interface TodosProps {
  matterId: string
  todos: Todo[]
  onChange: () => void
}

/** Todos of a matter, open ones first. */
export function Todos({ matterId, todos, onChange }: TodosProps) {
  const [error, setError] = useState<unknown>()
  async function complete(todo: Todo) {
    setError(undefined)
    try {
      const path = `${mattersPath}/${matterId}/todos/${todo.id}/complete`
      await request(path, { method: 'POST', body: { result: null } })
      onChange()
    } catch (thrown) {
      setError(thrown)
    }
  }
  const isOpen = ({ status }: Todo) => status === 'OPEN'
  const sorted = [...todos.filter(isOpen), ...todos.filter((todo) => !isOpen(todo))]
  return (
    <section class="panel-box" aria-labelledby="todos">
      <h2 id="todos">{t('matter.todos')}</h2>
      {error !== undefined && <Problem error={error} />}
      {todos.length === 0 && <p class="faint">{t('matter.todos.empty')}</p>}
      <ul class="rows">
        {sorted.map((todo) => (
          <li key={todo.id} class="todo">
            <span>
              <strong>{formatTodo(todo)}</strong>
              <span class="faint">
                {translate('userType', todo.actor)}
                {todo.due_at && ` · ${t('matter.todos.due', { day: formatDate(todo.due_at) })}`}
              </span>
            </span>
            {isOpen(todo) ? (
              <button type="button" onClick={() => complete(todo)}>
                {t('matter.todos.complete')}
              </button>
            ) : (
              <Badge
                tone={todo.status === 'DONE' ? 'good' : 'neutral'}
                text={translate('todoStatus', todo.status)}
              />
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
