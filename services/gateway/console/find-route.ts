import { matchPath } from './router.ts'
import { routes } from './routes.ts'

/** The page of a path and the parameters in it. */
export function findRoute(path: string) {
  for (const route of routes) {
    const params = matchPath(route.path, path)
    if (params) return { route, params }
  }
  return undefined
}
