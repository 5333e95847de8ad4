import { expect, test } from 'vitest'
import { exempt, subjects } from '../bench/lists/subjects.ts'
import { PageQuery } from '../services/_kit/page.ts'
import { suite } from '../services/_run/services.ts'

const pageParameters = Object.keys(PageQuery.shape)

/** Lists of all services: path as a pattern, and the filters. */
const lists = suite.flatMap(({ endpoints }) =>
  endpoints.flatMap(({ method, path, spec }) => {
    const shape: object = (spec.query as { shape?: object } | undefined)?.shape ?? {}
    if (method !== 'get' || !('cursor' in shape)) return []
    return [{ path, filters: Object.keys(shape).filter((name) => !pageParameters.includes(name)) }]
  }),
)

/** Identity of consultations-service for requests without headers. */
const identity = ['user_id', 'organization_id']

const measured = subjects
  .flatMap(({ paths, others }) => [...paths, ...(others?.paths ?? [])])
  .map((path) => new URL(path, 'http://bench'))

const isMeasured = (path: string, filter?: string) => {
  const pattern = new RegExp(`^${path.replace(/:\w+(\{[^/]*\})?/g, '[^/]+')}$`)
  return measured.some(
    ({ pathname, searchParams }) =>
      pattern.test(pathname) && (filter === undefined || searchParams.has(filter)),
  )
}

test('the bench measures every list with each of its filters, or says why not', () => {
  expect(lists.length).toBeGreaterThan(40)
  const missing = lists
    .filter(({ path }) => !(path in exempt))
    .flatMap(({ path, filters }) => {
      const own = path.startsWith('/api/v1/consultations/')
        ? filters.filter((name) => !identity.includes(name))
        : filters
      return [
        ...(isMeasured(path) ? [] : [path]),
        ...own.filter((filter) => !isMeasured(path, filter)).map((filter) => `${path}?${filter}`),
      ]
    })
  expect(missing).toEqual([])
})

test('no list is both measured and exempt, and every exempt list exists', () => {
  const paths = lists.map(({ path }) => path)
  expect(Object.keys(exempt).filter((path) => !paths.includes(path))).toEqual([])
  expect(Object.keys(exempt).filter((path) => isMeasured(path))).toEqual([])
})
