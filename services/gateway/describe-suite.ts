import type { ServiceContext } from '../_kit/context.ts'
import type { Json } from '../_kit/openapi/schemas.ts'
import type { Deps } from './deps.ts'
import { serviceNames } from './target.ts'

const source = 'http://peer/api/v1/v3/api-docs'
const deadlineMs = 5_000

/** Merges the descriptions of all services into that of the gateway. A service that fails is left out. */
export async function describeSuite({ peer }: ServiceContext<Deps>, own: Json): Promise<Json> {
  const loaded = await Promise.all(
    serviceNames.map(async (name) => {
      try {
        const signal = AbortSignal.timeout(deadlineMs)
        const response = await peer(name)(new Request(source, { signal }))
        return response.ok ? prefixed(name, await response.text()) : undefined
      } catch {
        return undefined
      }
    }),
  )
  const descriptions = [own, ...loaded.filter((each) => each !== undefined)]
  const groups = new Set(descriptions.flatMap(({ components }) => Object.keys(components ?? {})))
  return {
    ...own,
    info: { ...own.info, title: 'Legal suite' },
    paths: Object.assign({}, ...descriptions.map(({ paths }) => paths)),
    components: Object.fromEntries(
      [...groups].map((group) => [
        group,
        Object.assign({}, ...descriptions.map(({ components }) => components?.[group])),
      ]),
    ),
  }
}

/** Adds the name of the service to its paths, tags, operation ids and schemas, which may repeat. */
function prefixed(service: string, text: string): Json {
  const reference = '"#/components/schemas/'
  const { paths = {}, components = {} }: Json = JSON.parse(
    text.replaceAll(reference, `${reference}${service}.`),
  )
  const { schemas = {}, ...others } = components
  return {
    paths: Object.fromEntries(
      Object.entries<Json>(paths).map(([path, item]) => [
        `/${service}${path}`,
        ofService(service, item),
      ]),
    ),
    components: {
      ...others,
      schemas: Object.fromEntries(
        Object.entries(schemas).map(([name, schema]) => [`${service}.${name}`, schema]),
      ),
    },
  }
}

const ofService = (service: string, item: Json): Json =>
  Object.fromEntries(
    Object.entries<Json>(item).map(([method, operation]) => [
      method,
      { ...operation, tags: [service], operationId: `${service}.${operation.operationId}` },
    ]),
  )
