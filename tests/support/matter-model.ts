import { internal, type MatterStage, path } from './matter.ts'

/** Reference model of a matter. The service must agree with it. */
export interface MatterModel {
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

export const newModel = (title: string): MatterModel => ({
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

const transitions: Record<string, string> = {
  DRAFT: 'ACTIVE CANCELLED',
  ACTIVE: 'ON_HOLD COMPLETED CANCELLED',
  ON_HOLD: 'ACTIVE CANCELLED',
  COMPLETED: 'ARCHIVED',
  ARCHIVED: '',
  CANCELLED: '',
}

export const canMove = (from: string, to: string) =>
  from === to || transitions[from]!.split(' ').includes(to)

/** Applies a change and increments the version if anything changed. */
export function applyChange(
  before: MatterModel,
  mutate: (model: MatterModel) => boolean,
): MatterModel | 'refused' {
  const after = structuredClone(before)
  if (!mutate(after)) return 'refused'
  if (JSON.stringify(after) !== JSON.stringify(before)) after.version++
  return after
}

export const applySync = (before: MatterModel, body: SyncBody) =>
  applyChange(before, (model) => {
    const { cause_of_action_code: cause } = body
    const intake = mergeByKey(body.phases, 'phase_id').some(
      (patch) => patch.phase_id === 'intake' && patch.status === 'COMPLETED',
    )
    const nextStatus = body.status ?? model.status
    const isActivated = model.status === 'DRAFT' && (typeof cause === 'string' || intake)
    if (isActivated && (nextStatus === 'DRAFT' || !canMove('DRAFT', nextStatus)))
      model.status = 'ACTIVE'
    if (!(isActivated && nextStatus === 'DRAFT')) {
      if (!canMove(model.status, nextStatus)) return false
      model.status = nextStatus
    }
    if (body.title !== undefined) model.title = body.title
    if (cause !== undefined) model.cause = cause
    for (const [name, value] of Object.entries(body.profile ?? {}))
      setOrDelete(model.profile, name, value)
    for (const [name, section] of Object.entries(body.data ?? {})) {
      if (!isObject(section)) setOrDelete(model.data, name, section)
      else {
        if (!isObject(model.data[name])) model.data[name] = {}
        for (const [member, value] of Object.entries(section))
          setOrDelete(model.data[name], member, value)
      }
    }
    for (const file of body.file_ids ?? [])
      if (!model.file_ids.includes(file)) model.file_ids.push(file)
    for (const patch of mergeByKey(body.phases, 'phase_id')) applyPhase(model, patch)
    for (const patch of mergeByKey(body.todos, 'todo_key')) applyTodo(model, patch)
    for (const patch of mergeByKey(body.deliverables, 'deliverable_key'))
      applyDeliverable(model, patch)
    for (const patch of body.facts ?? []) setOrDelete(model.facts, patch.entity_key, patch.content)
    return (body.complete_todos ?? []).every((patch) => completeTodo(model, patch))
  })

/** Merges patches with the same key, later members over earlier ones. */
function mergeByKey<Patch extends object>(list: Patch[] | undefined, key: keyof Patch): Patch[] {
  const patch: Record<string, Patch> = {}
  for (const each of list ?? []) patch[String(each[key])] = { ...patch[String(each[key])], ...each }
  return Object.values(patch)
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function setOrDelete(into: Json, name: string, value: unknown) {
  if (value === null) delete into[name]
  else into[name] = value
}

function applyPhase(model: MatterModel, patch: NonNullable<SyncBody['phases']>[number]) {
  const orders = Object.values(model.phases).map((phase) => phase.order)
  const before = model.phases[patch.phase_id]
  model.phases[patch.phase_id] = {
    name: patch.phase_name ?? before?.name ?? patch.phase_id,
    status: patch.status ?? before?.status ?? 'PENDING',
    order: patch.order_num ?? before?.order ?? Math.max(0, ...orders) + 1,
  }
}

export function applyTodo(model: MatterModel, patch: NonNullable<SyncBody['todos']>[number]) {
  const before = model.todos[patch.todo_key]
  if (before && before.status !== 'OPEN') return
  model.todos[patch.todo_key] = {
    title: patch.title ?? before?.title ?? patch.todo_key,
    status: patch.status ?? 'OPEN',
    result: null,
  }
}

export function completeTodo(
  model: MatterModel,
  { todo_key, result }: { todo_key: string; result: unknown },
) {
  const todo = model.todos[todo_key]
  if (!todo || todo.status === 'CANCELLED') return false
  if (todo.status === 'DONE') return todo.result === result
  model.todos[todo_key] = { ...todo, status: 'DONE', result }
  return true
}

function applyDeliverable(
  model: MatterModel,
  patch: NonNullable<SyncBody['deliverables']>[number],
) {
  const before = model.deliverables[patch.deliverable_key]
  if (before?.file_id === patch.file_id) return
  model.deliverables[patch.deliverable_key] = {
    file_id: patch.file_id,
    version: (before?.version ?? 0) + 1,
  }
}

/** Reads the matter of the service as a model. */
export async function readModel(at: MatterStage, id: string): Promise<MatterModel> {
  const [matter, todos, timeline, deliverables, latest, facts] = await Promise.all([
    at.matter(id),
    at.todos(id),
    at.timeline(id),
    at.read(`${path}/${id}/deliverables?size=200`),
    at.read(`${internal}/${id}/analysis/versions/latest`),
    at.sql`select entity_key, content from matter.facts where matter_id = ${id}`,
  ])
  const indexBy = (list: any[], key: string, value: (each: any) => any) =>
    Object.fromEntries(list.map((each) => [each[key], value(each)]))
  return {
    version: matter.version,
    title: matter.title,
    status: matter.status,
    cause: matter.cause_of_action_code,
    profile: matter.profile,
    data: matter.data,
    file_ids: matter.file_ids,
    phases: indexBy(timeline.phases, 'phase_id', ({ phase_name, status, order_num }) => ({
      name: phase_name,
      status,
      order: order_num,
    })),
    todos: indexBy(todos, 'todo_key', ({ title, status, result }) => ({ title, status, result })),
    deliverables: indexBy(deliverables.items, 'deliverable_key', ({ file_id, version }) => ({
      file_id,
      version,
    })),
    facts: indexBy(facts, 'entity_key', ({ content }) => content),
    analysis: latest.version,
  }
}
