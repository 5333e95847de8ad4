import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { internal, type MatterStage, path, stageMatter } from '../../tests/support/matter.ts'
import {
  applyChange,
  applySync,
  applyTodo,
  canMove,
  completeTodo,
  type MatterModel,
  newModel,
  readModel,
  type SyncBody,
} from '../../tests/support/matter-model.ts'

let at: MatterStage
beforeAll(async () => {
  at = await stageMatter()
})
afterAll(() => at.close())

interface Real {
  id: string
}
/** The model and the response to each sync_key. */
interface Expected {
  model: MatterModel
  synced: Map<string, { body: SyncBody; answer: any }>
}

abstract class Step implements fc.AsyncCommand<Expected, Real> {
  check = () => true
  abstract toString(): string
  abstract act(expected: Expected, id: string): Promise<void>

  async run(expected: Expected, { id }: Real) {
    await this.act(expected, id)
    expect(await readModel(at, id)).toEqual(expected.model)
    const { events } = await at.timeline(id)
    expect(events).toHaveLength(Math.min(200, expected.model.version))
  }
}

/** Concurrent syncs are equivalent to the order of their versions. */
class Syncs extends Step {
  readonly bodies: SyncBody[]
  constructor(bodies: SyncBody[]) {
    super()
    this.bodies = bodies
  }
  toString = () => `syncs(${JSON.stringify(this.bodies)})`

  async act(expected: Expected, id: string) {
    const responses = await Promise.all(this.bodies.map((body) => at.sync(id, body)))
    const sent = responses.map(({ status, data }, index) => ({
      body: this.bodies[index]!,
      status,
      data,
    }))
    const rank = ({ data }: { data: any }) => data.version * 2 + (isChange(data) ? 0 : 1)
    const states = [expected.model]
    for (const { body, data } of sent.filter(isApplied).sort((a, b) => rank(a) - rank(b))) {
      const after = applySync(expected.model, body)
      if (after === 'refused')
        throw new Error(`applied, and should not have been: ${JSON.stringify(body)}`)
      expect(data).toMatchObject({ matter_id: id, version: after.version })
      expect(isChange(data)).toBe(after.version > expected.model.version)
      expected.model = after
      states.push(after)
      if (body.sync_key) expected.synced.set(body.sync_key, { body, answer: data })
    }
    for (const { body, status, data } of sent.filter((each) => !isApplied(each))) {
      const first = body.sync_key && expected.synced.get(body.sync_key)
      if (status === 200) expect(data).toEqual({ ...(first as any).answer, applied: false })
      else {
        expect(status).toBe(409)
        const otherBody = first && JSON.stringify(first.body) !== JSON.stringify(body)
        expect(otherBody || states.some((state) => applySync(state, body) === 'refused')).toBe(true)
      }
    }
  }
}

const isApplied = ({ status, data }: { status: number; data: any }) =>
  status === 200 && data.applied
const isChange = (data: any) => Object.values<number>(data.changed).some((count) => count > 0)

/** A request of a user and its effect on the model. */
class Act extends Step {
  readonly name: string
  readonly send: (id: string) => Promise<{ status: number }>
  readonly next: (model: MatterModel) => MatterModel | 'refused'
  constructor(
    name: string,
    send: (id: string) => Promise<{ status: number }>,
    next: (model: MatterModel) => MatterModel | 'refused',
  ) {
    super()
    this.name = name
    this.send = send
    this.next = next
  }
  toString = () => this.name

  async act(expected: Expected, id: string) {
    const after = this.next(expected.model)
    const { status } = await this.send(id)
    if (after === 'refused') expect([404, 409]).toContain(status)
    else {
      expect([200, 201]).toContain(status)
      expected.model = after
    }
  }
}

const statuses = ['DRAFT', 'ACTIVE', 'ON_HOLD', 'COMPLETED', 'ARCHIVED', 'CANCELLED']
const of = fc.constantFrom
const seldom = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 3, nil: undefined })
const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.array(arbitrary, { maxLength: 2 })
const todoKey = of('k1', 'k2', 'k3')
const members = fc.dictionary(of('a', 'b'), of(1, 'x', null, { deep: null }), { maxKeys: 2 })
const body: fc.Arbitrary<SyncBody> = fc
  .record(
    {
      sync_key: of('s1', 's2', 's3', 's4'),
      title: of('T1', 'T2'),
      status: of(...statuses),
      cause_of_action_code: of('loan', null),
      profile: members,
      data: fc.dictionary(of('s', 't'), fc.oneof(members, of(null, 'text')), { maxKeys: 2 }),
      file_ids: some(of('f1', 'f2', 'f3')),
      phases: some(
        fc.record(
          {
            phase_id: of('intake', 'filing'),
            phase_name: of('P', 'Q'),
            status: of('PENDING', 'IN_PROGRESS', 'COMPLETED'),
          },
          { requiredKeys: ['phase_id'] },
        ),
      ),
      todos: some(
        fc.record(
          { todo_key: todoKey, title: of('A', 'B'), status: of('OPEN', 'CANCELLED') },
          { requiredKeys: ['todo_key'] },
        ),
      ),
      deliverables: some(
        fc.record({ deliverable_key: of('d1', 'd2'), file_id: of('f1', 'f2', null) }),
      ),
      facts: some(fc.record({ entity_key: of('e1', 'e2'), content: of('x', 'y', null) })),
    },
    { requiredKeys: [] },
  )
  .chain((patch) =>
    seldom(some(fc.record({ todo_key: todoKey, result: of(1, 2) }))).map((done) => ({
      ...patch,
      ...(done && { complete_todos: done }),
    })),
  )

const steps = [
  body.map((one) => new Syncs([one])),
  body.map((one) => new Syncs([one, one])),
  fc.array(body, { minLength: 2, maxLength: 5 }).map((bodies) => new Syncs(bodies)),
  of(...statuses).map(
    (status) =>
      new Act(
        `status(${status})`,
        (id) => at.post(`${path}/${id}/status`, { status }),
        (model) =>
          applyChange(model, (after) => {
            after.status = status
            return canMove(model.status, status)
          }),
      ),
  ),
  fc.tuple(todoKey, of(1, 2)).map(
    ([todo_key, result]) =>
      new Act(
        `complete(${todo_key}, ${result})`,
        (id) => at.post(`${path}/${id}/todos/${todo_key}/complete`, { result }),
        (model) => applyChange(model, (after) => completeTodo(after, { todo_key, result })),
      ),
  ),
  fc.tuple(todoKey, of('A', 'B')).map(
    ([todo_key, title]) =>
      new Act(
        `todo(${todo_key}, ${title})`,
        (id) => at.post(`${path}/${id}/todos`, { todo_key, title }),
        (model) =>
          applyChange(model, (after) => {
            applyTodo(after, { todo_key, title })
            return true
          }),
      ),
  ),
  of(
    new Act(
      'allocate',
      (id) => at.post(`${internal}/${id}/analysis/versions/allocate`),
      (model) => applyChange(model, (after) => Boolean(++after.analysis)),
    ),
  ),
]

test('after any sequence of operations the matter equals the model', async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(steps, { maxCommands: 12 }), async (commands) => {
      const { id } = await at.createMatter({ title: 'T0' })
      await fc.asyncModelRun(
        () => ({ model: { model: newModel('T0'), synced: new Map() }, real: { id } }),
        commands,
      )
    }),
    { numRuns: 20 },
  )
})
