import * as z from 'zod'
import { type Listening, listen } from '../../../services/_run/listen.ts'
import { Collection, QdrantError } from './collection.ts'
import * as shapes from './schemas.ts'

type RouteHandler = (parts: string[], body: unknown, query: URLSearchParams) => unknown

/** In-memory implementation of the Qdrant requests that the service sends; rejects all others. */
export class QdrantStandIn {
  readonly collections = new Map<string, Collection>()
  readonly aliases = new Map<string, string>()
  readonly key: string | undefined

  constructor(key?: string) {
    this.key = key
  }

  private findCollection(name: string): Collection {
    const collection = this.collections.get(this.aliases.get(name) ?? name)
    if (!collection) throw new QdrantError(404, `Not found: Collection \`${name}\` doesn't exist!`)
    return collection
  }

  private readonly routes: [RegExp, RouteHandler][] = [
    [/^GET \/collections$/, () => ({ collections: names(this.collections) })],
    [/^GET \/aliases$/, () => ({ aliases: this.allAliases() })],
    [/^POST \/collections\/aliases$/, (_, body) => this.updateAliases(body)],
    [/^GET \/collections\/([^/]+)\/exists$/, ([name]) => ({ exists: this.has(name!) })],
    [/^PUT \/collections\/([^/]+)$/, ([name], body) => this.createCollection(name!, body)],
    [/^DELETE \/collections\/([^/]+)$/, ([name]) => this.dropCollection(name!)],
    [/^PUT \/collections\/([^/]+)\/index$/, ([name], body) => this.createFieldIndex(name!, body)],
    [
      /^PUT \/collections\/([^/]+)\/points$/,
      ([name], body, query) => {
        this.findCollection(name!).upsert(parseBody(shapes.Upsert, body).points)
        return completedUpdate(query)
      },
    ],
    [
      /^POST \/collections\/([^/]+)\/points$/,
      ([name], body) => {
        const { ids, ...selection } = parseBody(shapes.Retrieve, body)
        const { points } = this.findCollection(name!)
        return ids.flatMap((id) =>
          points.has(id) ? [selectFields(points.get(id)!, selection)] : [],
        )
      },
    ],
    [
      /^POST \/collections\/([^/]+)\/points\/delete$/,
      ([name], body, query) => {
        this.findCollection(name!).remove(parseBody(shapes.Delete, body))
        return completedUpdate(query)
      },
    ],
    [
      /^POST \/collections\/([^/]+)\/points\/count$/,
      ([name], body) => {
        parseBody(shapes.Count, body)
        return { count: this.findCollection(name!).points.size }
      },
    ],
    [/^POST \/collections\/([^/]+)\/points\/scroll$/, ([name], body) => this.scroll(name!, body)],
    [
      /^POST \/collections\/([^/]+)\/points\/query\/batch$/,
      ([name], body) => {
        const { searches } = parseBody(shapes.Searches, body)
        const collection = this.findCollection(name!)
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
      for (const [pattern, handle] of this.routes) {
        const match = pattern.exec(`${request.method} ${pathname}`)
        if (!match) continue
        const result = handle(match.slice(1).map(decodeURIComponent), parseJson(text), searchParams)
        return Response.json({ result, status: 'ok', time: 0 })
      }
      return new Response('', { status: 404 })
    } catch (thrown) {
      if (!(thrown instanceof QdrantError)) throw thrown
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

  private createCollection(name: string, body: unknown) {
    const config = parseBody(shapes.NewCollection, body)
    parseBody(shapes.Name, name)
    if (this.has(name)) throw new QdrantError(409, `Collection \`${name}\` already exists!`)
    this.collections.set(name, new Collection(config))
    return true
  }

  private dropCollection(name: string) {
    for (const [alias, collection] of this.aliases) {
      if (collection === name) this.aliases.delete(alias)
    }
    return this.collections.delete(name)
  }

  private createFieldIndex(name: string, body: unknown) {
    const { field_name, field_schema } = parseBody(shapes.FieldIndex, body)
    this.findCollection(name).fields.set(field_name, field_schema)
    return { operation_id: 0, status: 'completed' }
  }

  /** Applies all actions or none. */
  private updateAliases(body: unknown) {
    const { actions } = parseBody(shapes.Aliases, body)
    const next = new Map(this.aliases)
    for (const action of actions) {
      if ('delete_alias' in action) {
        next.delete(action.delete_alias.alias_name)
      } else {
        const { alias_name, collection_name } = action.create_alias
        if (!this.collections.has(collection_name)) {
          throw new QdrantError(404, `Not found: Collection \`${collection_name}\` doesn't exist!`)
        }
        if (this.collections.has(alias_name))
          throw new QdrantError(409, 'Collection already exists')
        next.set(alias_name, collection_name)
      }
    }
    this.aliases.clear()
    for (const [alias, collection] of next) this.aliases.set(alias, collection)
    return true
  }

  private scroll(name: string, body: unknown) {
    const { limit, offset, ...selection } = parseBody(shapes.Scroll, body)
    const from = this.findCollection(name)
      .sortedById()
      .filter(({ id }) => id >= (offset ?? 0))
    return {
      points: from.slice(0, limit).map((point) => selectFields(point, selection)),
      next_page_offset: from[limit]?.id ?? null,
    }
  }
}

const names = (collections: ReadonlyMap<string, unknown>) =>
  [...collections.keys()].map((name) => ({ name }))

/** Result of an update. Requires `wait=true`: without it Qdrant only acknowledges the request. */
function completedUpdate(query: URLSearchParams) {
  if (query.get('wait') !== 'true') throw new QdrantError(400, 'the service waits for its writes')
  return { operation_id: 0, status: 'completed' }
}

interface FieldSelection {
  with_payload?: string[] | true | undefined
  with_vector?: boolean | undefined
}

const selectFields = ({ id, payload, vector }: shapes.Point, selection: FieldSelection) => ({
  id,
  payload: Object.fromEntries(
    Object.entries(payload).filter(
      ([name]) => !Array.isArray(selection.with_payload) || selection.with_payload.includes(name),
    ),
  ),
  ...(selection.with_vector ? { vector } : {}),
})

function parseJson(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw new QdrantError(400, 'Format error in JSON body')
  }
}

function parseBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const { data, error } = schema.safeParse(body)
  if (error) throw new QdrantError(400, `Format error in JSON body: ${z.prettifyError(error)}`)
  return data as T
}

/** Starts the stand-in on a free port. */
export async function startStandIn(key?: string) {
  const standIn = new QdrantStandIn(key)
  const listening: Listening = await listen(standIn.fetch, 0, '127.0.0.1')
  return {
    standIn,
    url: `http://127.0.0.1:${listening.port}`,
    stop: () => listening.close(0),
  }
}
