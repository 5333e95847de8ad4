import * as z from 'zod'
import { type Listening, listen } from '../../../services/_run/listen.ts'
import { Collection, Refusal } from './collection.ts'
import * as shapes from './shapes.ts'

type Answer = (parts: string[], body: unknown, query: URLSearchParams) => unknown

/** What the service says to Qdrant, answered as Qdrant does, and anything else refused. */
export class QdrantStandIn {
  readonly collections = new Map<string, Collection>()
  readonly aliases = new Map<string, string>()
  readonly key: string | undefined

  constructor(key?: string) {
    this.key = key
  }

  private named(name: string): Collection {
    const collection = this.collections.get(this.aliases.get(name) ?? name)
    if (!collection) throw new Refusal(404, `Not found: Collection \`${name}\` doesn't exist!`)
    return collection
  }

  private readonly answers: [RegExp, Answer][] = [
    [/^GET \/collections$/, () => ({ collections: names(this.collections) })],
    [/^GET \/aliases$/, () => ({ aliases: this.allAliases() })],
    [/^POST \/collections\/aliases$/, (_, body) => this.realias(body)],
    [/^GET \/collections\/([^/]+)\/exists$/, ([name]) => ({ exists: this.has(name!) })],
    [/^PUT \/collections\/([^/]+)$/, ([name], body) => this.create(name!, body)],
    [/^DELETE \/collections\/([^/]+)$/, ([name]) => this.drop(name!)],
    [/^PUT \/collections\/([^/]+)\/index$/, ([name], body) => this.index(name!, body)],
    [
      /^PUT \/collections\/([^/]+)\/points$/,
      ([name], body, query) => {
        this.named(name!).upsert(parsed(shapes.Upsert, body).points)
        return done(query)
      },
    ],
    [
      /^POST \/collections\/([^/]+)\/points$/,
      ([name], body) => {
        const { ids, ...what } = parsed(shapes.Retrieve, body)
        const { points } = this.named(name!)
        return ids.flatMap((id) => (points.has(id) ? [shown(points.get(id)!, what)] : []))
      },
    ],
    [
      /^POST \/collections\/([^/]+)\/points\/delete$/,
      ([name], body, query) => {
        this.named(name!).remove(parsed(shapes.Delete, body))
        return done(query)
      },
    ],
    [
      /^POST \/collections\/([^/]+)\/points\/count$/,
      ([name], body) => {
        parsed(shapes.Count, body)
        return { count: this.named(name!).points.size }
      },
    ],
    [/^POST \/collections\/([^/]+)\/points\/scroll$/, ([name], body) => this.scroll(name!, body)],
    [
      /^POST \/collections\/([^/]+)\/points\/query\/batch$/,
      ([name], body) => {
        const { searches } = parsed(shapes.Searches, body)
        const collection = this.named(name!)
        return searches.map((search) => ({ points: collection.query(search) }))
      },
    ],
  ]

  readonly fetch = async (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url)
    const text = await request.text()
    try {
      if (this.key !== undefined && request.headers.get('api-key') !== this.key) {
        return new Response('Must provide an API key or an Authorization bearer token', {
          status: 401,
        })
      }
      for (const [pattern, answer] of this.answers) {
        const match = pattern.exec(`${request.method} ${pathname}`)
        if (!match) continue
        const result = answer(match.slice(1).map(decodeURIComponent), bodyOf(text), searchParams)
        return Response.json({ result, status: 'ok', time: 0 })
      }
      return new Response('', { status: 404 })
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown
      const { status, message } = thrown
      return Response.json({ status: { error: message }, time: 0 }, { status })
    }
  }

  private has(name: string) {
    return this.collections.has(this.aliases.get(name) ?? name)
  }

  private allAliases() {
    return Array.from(this.aliases, ([alias_name, collection_name]) => ({
      ...{ alias_name, collection_name },
    }))
  }

  private create(name: string, body: unknown) {
    const config = parsed(shapes.NewCollection, body)
    parsed(shapes.Name, name)
    if (this.has(name)) throw new Refusal(409, `Collection \`${name}\` already exists!`)
    this.collections.set(name, new Collection(config))
    return true
  }

  private drop(name: string) {
    for (const [alias, collection] of this.aliases) {
      if (collection === name) this.aliases.delete(alias)
    }
    return this.collections.delete(name)
  }

  private index(name: string, body: unknown) {
    const { field_name, field_schema } = parsed(shapes.FieldIndex, body)
    this.named(name).fields.set(field_name, field_schema)
    return { operation_id: 0, status: 'completed' }
  }

  /** All of them or none. */
  private realias(body: unknown) {
    const { actions } = parsed(shapes.Aliases, body)
    const next = new Map(this.aliases)
    for (const action of actions) {
      if ('delete_alias' in action) {
        next.delete(action.delete_alias.alias_name)
      } else {
        const { alias_name, collection_name } = action.create_alias
        if (!this.collections.has(collection_name)) {
          throw new Refusal(404, `Not found: Collection \`${collection_name}\` doesn't exist!`)
        }
        if (this.collections.has(alias_name)) throw new Refusal(409, 'Collection already exists')
        next.set(alias_name, collection_name)
      }
    }
    this.aliases.clear()
    for (const [alias, collection] of next) this.aliases.set(alias, collection)
    return true
  }

  private scroll(name: string, body: unknown) {
    const { limit, offset, ...what } = parsed(shapes.Scroll, body)
    const from = this.named(name)
      .inOrder()
      .filter(({ id }) => id >= (offset ?? 0))
    return {
      points: from.slice(0, limit).map((point) => shown(point, what)),
      next_page_offset: from[limit]?.id ?? null,
    }
  }
}

const names = (collections: ReadonlyMap<string, unknown>) =>
  [...collections.keys()].map((name) => ({ name }))

/** Who does not wait is told only that it was heard; the service always waits. */
function done(query: URLSearchParams) {
  if (query.get('wait') !== 'true') throw new Refusal(400, 'the service waits for its writes')
  return { operation_id: 0, status: 'completed' }
}

interface Wanted {
  with_payload?: string[] | true | undefined
  with_vector?: boolean | undefined
}

const shown = ({ id, payload, vector }: shapes.Point, wanted: Wanted) => ({
  id,
  payload: Object.fromEntries(
    Object.entries(payload).filter(
      ([name]) => !Array.isArray(wanted.with_payload) || wanted.with_payload.includes(name),
    ),
  ),
  ...(wanted.with_vector ? { vector } : {}),
})

function bodyOf(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal(400, 'Format error in JSON body')
  }
}

function parsed<T>(schema: z.ZodType<T>, body: unknown): T {
  const { data, error } = schema.safeParse(body)
  if (error) throw new Refusal(400, `Format error in JSON body: ${z.prettifyError(error)}`)
  return data as T
}

/** The stand-in behind a port of its own. */
export async function startStandIn(key?: string) {
  const standIn = new QdrantStandIn(key)
  const listening: Listening = await listen(standIn.fetch, 0, '127.0.0.1')
  return {
    standIn,
    url: `http://127.0.0.1:${listening.port}`,
    stop: () => listening.close(0),
  }
}
