import { apiPage } from './api-page.ts'
import type { Kit, Mount, ServiceContext } from './context.ts'
import type { Endpoint } from './endpoint.ts'
import { notFound } from './fault.ts'
import type { Json } from './openapi/schemas.ts'
import { filterPaths, prefixes } from './openapi/visible.ts'
import { describe } from './openapi.ts'

/** Merges the descriptions of other services into the own one. */
export type MergeDescriptions<Deps> = (context: ServiceContext<Deps>, own: Json) => Promise<Json>

/** Mounts the API description and the page to browse and try it. */
export function apiDocs<Deps extends object>(
  mount: Mount<Deps>,
  service: string,
  endpoints: readonly Endpoint[],
  merge?: MergeDescriptions<Deps>,
) {
  let description: ReturnType<typeof describe> | undefined

  mount('GET', '/api/v1/v3/api-docs', async (c) => {
    const { config, version } = c.env.kit
    requireEnabled(config)
    description ??= describe(service, version, endpoints)
    if (merge) return c.json(await merge(c.env, description))
    const include = prefixes(config.AI_BOOT_OPENAPI_INCLUDE_PATH_PREFIXES)
    const exclude = prefixes(config.AI_BOOT_OPENAPI_EXCLUDE_PATH_PREFIXES)
    return c.json(filterPaths(description, include, exclude))
  })

  mount('GET', '/api/v1/swagger-ui/index.html', (c) => {
    requireEnabled(c.env.kit.config)
    const nonce = crypto.randomUUID()
    c.header(
      'Content-Security-Policy',
      `default-src 'none'; connect-src 'self'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; ` +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
    )
    return c.html(apiPage(service, nonce))
  })
}

function requireEnabled({ AI_BOOT_OPENAPI_ENABLED: enabled, ENVIRONMENT }: Kit['config']) {
  if (!(enabled ?? ENVIRONMENT !== 'production')) throw notFound('API description here')
}
