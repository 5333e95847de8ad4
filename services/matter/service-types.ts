import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { Fault } from '../_kit/fault.ts'
import { Json } from '../_kit/fields.ts'
import type { Client, RequestOptions } from '../_kit/peer.ts'
import { json, type Sql } from '../_kit/sql/sql.ts'
import { get } from './deps.ts'
import { isObject } from './merge.ts'
import { StoredJson } from './playbook.ts'
import { userGuard } from './scope.ts'

const ServiceTypes = z.object({ service_types: StoredJson, resolved_service_types: StoredJson })
type ServiceTypes = z.infer<typeof ServiceTypes>

const none: ServiceTypes = { service_types: [], resolved_service_types: [] }

export const serviceTypes = [
  get(
    '/api/v1/service-types',
    {
      summary: 'List the service types configured in platform-service',
      description:
        'Cached for 60 seconds. Served stale while platform-service is unavailable; empty if nothing is configured.',
      guard: userGuard,
      responses: { 200: ServiceTypes },
    },
    async (c) => {
      const { requestId, traceparent } = c.var
      const from = { headers: c.req.raw.headers, requestId, traceparent }
      return ok(c, await loadServiceTypes(c.env.sql, c.env.platform, from))
    },
  ),
]

async function loadServiceTypes(
  sql: Sql,
  platform: Client,
  from: RequestOptions['from'],
): Promise<ServiceTypes> {
  const cached = await readCache(sql)
  if (cached?.fresh) return cached.value
  try {
    return await writeCache(sql, await fetchServiceTypes(platform, from))
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
    return cached?.value ?? none
  }
}

const SystemConfig = z.object({ value: Json })
const PartialServiceTypes = ServiceTypes.partial()

async function fetchServiceTypes(
  platform: Client,
  from: RequestOptions['from'],
): Promise<ServiceTypes> {
  const path = '/api/v1/internal/platform/configs/matters.service_types'
  try {
    const { value } = await platform.request(SystemConfig, path, {
      ...(from && { from }),
      deadlineMs: 2_000,
    })
    return Object.assign({ ...none }, PartialServiceTypes.safeParse(value).data)
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.kind === 'NOT_FOUND') return none
    throw thrown
  }
}

/** Cached in the database, so that replicas share the value and it survives a restart. */
const CachedServiceTypes = z.object({ value: ServiceTypes, fresh: z.boolean() })

const readCache = (sql: Sql) => sql.row(CachedServiceTypes)`
  select value, read_at > now() - interval '60 seconds' as fresh from matter.service_types`

async function writeCache(sql: Sql, value: ServiceTypes): Promise<ServiceTypes> {
  await sql`
    insert into matter.service_types (value) values (${json(value)})
    on conflict (only_row) do update set value = excluded.value, read_at = now()`
  return value
}

/** Returns the name of a service type from the cache, without a request to platform-service. */
export async function loadServiceTypeName(sql: Sql, id: string): Promise<string | undefined> {
  const { service_types, resolved_service_types } = (await readCache(sql))?.value ?? none
  return findName(resolved_service_types, id) ?? findName(service_types, id)
}

const Entry = z.object({
  id: z.string().optional(),
  service_type_id: z.string().optional(),
  name: z.string().min(1).max(500),
})

/** Accepts a list of entries with ids or an object keyed by id. */
function findName(types: unknown, id: string): string | undefined {
  if (isObject(types)) return Entry.safeParse(types[id]).data?.name
  const entries = Array.isArray(types) ? types.map((each) => Entry.safeParse(each).data) : []
  return entries.find((entry) => entry && (entry.id ?? entry.service_type_id) === id)?.name
}
