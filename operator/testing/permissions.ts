import { readFileSync } from 'node:fs'
import { parseAllDocuments } from 'yaml'
import { type FakeApi, parseRequest } from '../runtime/testing/fake-api.ts'
import type { Transport } from '../runtime/transport.ts'

type Rule = { apiGroups: string[]; resources: string[]; verbs: string[] }

const file = new URL('../deploy/2-role.yaml', import.meta.url)

/** Permissions of the shipped roles, for example `patch apps/deployments`. */
export const grantedPermissions: string[] = parseAllDocuments(readFileSync(file, 'utf8'))
  .flatMap((document) => document.toJS().rules as Rule[])
  .flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => verbs.map((verb) => `${verb} ${group}/${resource}`)),
    ),
  )

/** Rejects requests like RBAC with one permission removed. Calls `onDenied` for each rejection. */
export const withoutPermission =
  (permission: string, onDenied: () => void) =>
  (api: FakeApi): Transport => {
    const granted = new Set(grantedPermissions)
    granted.delete(permission)
    return async (request) => {
      const { verb, collection, namespace = '', name = '', subresource } = parseRequest(request)
      const resource = subresource ? `${collection}/${subresource}` : collection
      // An apply that creates its object needs both permissions.
      const isCreated = verb === 'patch' && !api.store.get({ collection, namespace, name })
      const verbs = isCreated ? ['patch', 'create'] : [verb]
      const missing = verbs.map((each) => `${each} ${resource}`).find((each) => !granted.has(each))
      if (verb === 'discover' || !missing) return api.transport(request)
      if (missing !== permission) throw new Error(`the role does not grant ${missing}`)
      onDenied()
      const status = { kind: 'Status', code: 403, reason: 'Forbidden', message: missing }
      return {
        status: 403,
        headers: {},
        body: (async function* () {
          yield Buffer.from(JSON.stringify(status))
        })(),
      }
    }
  }
