import { internal, type MatterStage, path } from './matter.ts'

/** What a matter is to be, said a second time and as plainly as can be: the service must agree. */
export interface Model {
  version: number
  title: string
  status: string
  cause: string | null
  profile: Json
  data: Json
  file_ids: string[]
  phases: Record<string, { name: string; status: string; order: number }>
  todos: Record<string, { title: string; status: string; result: unknown }>
  deliverables: Record<string, { file_id: string | null; version: number }>
  facts: Record<string, string>
  analysis: number
}

type Json = Record<string, any>

export interface SyncBody {
  sync_key?: string
  title?: string
  status?: string
  cause_of_action_code?: string | null
  profile?: Json
  data?: Json
  file_ids?: string[]
  phases?: { phase_id: string; phase_name?: string; status?: string; order_num?: number }[]
  todos?: { todo_key: string; title?: string; status?: string }[]
  complete_todos?: { todo_key: string; result: unknown }[]
  deliverables?: { deliverable_key: string; file_id: string | null }[]
  facts?: { entity_key: string; content: string | null }[]
}

export const newModel = (title: string): Model => ({
  version: 1,
  title,
  status: 'DRAFT',
  cause: null,
  profile: {},
  data: {},
  file_ids: [],
  phases: {},
  todos: {},
  deliverables: {},
  facts: {},
  analysis: 0,
})

const ways: Record<string, string> = {
  DRAFT: 'ACTIVE CANCELLED',
  ACTIVE: 'ON_HOLD COMPLETED CANCELLED',
  ON_HOLD: 'ACTIVE CANCELLED',
  COMPLETED: 'ARCHIVED',
  ARCHIVED: '',
  CANCELLED: '',
}

export const canMove = (from: string, to: string) =>
  from === to || ways[from]!.split(' ').includes(to)

/** The model after a change, its version one higher if anything of it is other than before. */
export function change(before: Model, how: (model: Model) => boolean): Model | 'refused' {
  const after = structuredClone(before)
  if (!how(after)) return 'refused'
  if (JSON.stringify(after) !== JSON.stringify(before)) after.version++
  return after
}

export const applySync = (before: Model, body: SyncBody) =>
  change(before, (model) => {
    const { cause_of_action_code: cause } = body
    const intake = once(body.phases, 'phase_id').some(
      (told) => told.phase_id === 'intake' && told.status === 'COMPLETED',
    )
    const wanted = body.status ?? model.status
    const activates = model.status === 'DRAFT' && (typeof cause === 'string' || intake)
    if (activates && (wanted === 'DRAFT' || !canMove('DRAFT', wanted))) model.status = 'ACTIVE'
    if (!(activates && wanted === 'DRAFT')) {
      if (!canMove(model.status, wanted)) return false
      model.status = wanted
    }
    if (body.title !== undefined) model.title = body.title
    if (cause !== undefined) model.cause = cause
    for (const [name, value] of Object.entries(body.profile ?? {})) put(model.profile, name, value)
    for (const [name, section] of Object.entries(body.data ?? {})) {
      if (!isObject(section)) put(model.data, name, section)
      else {
        if (!isObject(model.data[name])) model.data[name] = {}
        for (const [member, value] of Object.entries(section)) put(model.data[name], member, value)
      }
    }
    for (const file of body.file_ids ?? [])
      if (!model.file_ids.includes(file)) model.file_ids.push(file)
    for (const told of once(body.phases, 'phase_id')) tellPhase(model, told)
    for (const told of once(body.todos, 'todo_key')) tellTodo(model, told)
    for (const told of once(body.deliverables, 'deliverable_key')) tellDeliverable(model, told)
    for (const told of body.facts ?? []) put(model.facts, told.entity_key, told.content)
    return (body.complete_todos ?? []).every((told) => complete(model, told))
  })

/** A key told twice in one list is told once, the later members over the earlier. */
function once<Told extends object>(list: Told[] | undefined, key: keyof Told): Told[] {
  const told: Record<string, Told> = {}
  for (const each of list ?? []) told[String(each[key])] = { ...told[String(each[key])], ...each }
  return Object.values(told)
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function put(into: Json, name: string, value: unknown) {
  if (value === null) delete into[name]
  else into[name] = value
}

function tellPhase(model: Model, told: NonNullable<SyncBody['phases']>[number]) {
  const orders = Object.values(model.phases).map((phase) => phase.order)
  const before = model.phases[told.phase_id]
  model.phases[told.phase_id] = {
    name: told.phase_name ?? before?.name ?? told.phase_id,
    status: told.status ?? before?.status ?? 'PENDING',
    order: told.order_num ?? before?.order ?? Math.max(0, ...orders) + 1,
  }
}

export function tellTodo(model: Model, told: NonNullable<SyncBody['todos']>[number]) {
  const before = model.todos[told.todo_key]
  if (before && before.status !== 'OPEN') return
  model.todos[told.todo_key] = {
    title: told.title ?? before?.title ?? told.todo_key,
    status: told.status ?? 'OPEN',
    result: null,
  }
}

export function complete(
  model: Model,
  { todo_key, result }: { todo_key: string; result: unknown },
) {
  const todo = model.todos[todo_key]
  if (!todo || todo.status === 'CANCELLED') return false
  if (todo.status === 'DONE') return todo.result === result
  model.todos[todo_key] = { ...todo, status: 'DONE', result }
  return true
}

function tellDeliverable(model: Model, told: NonNullable<SyncBody['deliverables']>[number]) {
  const before = model.deliverables[told.deliverable_key]
  if (before?.file_id === told.file_id) return
  model.deliverables[told.deliverable_key] = {
    file_id: told.file_id,
    version: (before?.version ?? 0) + 1,
  }
}

/** The real matter in the model's words. */
export async function seen(at: MatterStage, id: string): Promise<Model> {
  const [matter, todos, timeline, deliverables, latest, facts] = await Promise.all([
    at.matter(id),
    at.todos(id),
    at.timeline(id),
    at.read(`${path}/${id}/deliverables?size=200`),
    at.read(`${internal}/${id}/analysis/versions/latest`),
    at.sql`select entity_key, content from matter.facts where matter_id = ${id}`,
  ])
  const by = (list: any[], key: string, value: (each: any) => any) =>
    Object.fromEntries(list.map((each) => [each[key], value(each)]))
  return {
    version: matter.version,
    title: matter.title,
    status: matter.status,
    cause: matter.cause_of_action_code,
    profile: matter.profile,
    data: matter.data,
    file_ids: matter.file_ids,
    phases: by(timeline.phases, 'phase_id', ({ phase_name, status, order_num }) => ({
      name: phase_name,
      status,
      order: order_num,
    })),
    todos: by(todos, 'todo_key', ({ title, status, result }) => ({ title, status, result })),
    deliverables: by(deliverables.items, 'deliverable_key', ({ file_id, version }) => ({
      file_id,
      version,
    })),
    facts: by(facts, 'entity_key', ({ content }) => content),
    analysis: latest.version,
  }
}
