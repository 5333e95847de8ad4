import type { Todo } from '../../api/types.ts'
import { translate } from '../../text/text.ts'

/** Todos that every matter has are named by the console: matter-service names them in English. */
export function formatTodo({ todo_key, title }: Pick<Todo, 'todo_key' | 'title'>): string {
  const name = translate('todo', todo_key)
  return name === todo_key ? title : name
}
