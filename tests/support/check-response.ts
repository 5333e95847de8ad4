import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect } from 'vitest'
import { describe as description } from '../../services/_kit/openapi.ts'
import type { Service } from '../../services/_kit/service.ts'

type Operation = { path: RegExp; method: string; validators: Map<string, ValidateFunction | null> }

const operationsByService = new WeakMap<Service, Operation[]>()

/** Asserts that the response to a described operation has a described status and fits its schema. */
export function checkResponse(
  service: Service,
  method: string,
  path: string,
  response: Response,
  text: string,
) {
  const pathname = path.replace(/\?.*/s, '')
  const operation = compileOperations(service).find(
    (each) => each.method === method.toLowerCase() && each.path.test(pathname),
  )
  if (!operation) return
  const { status } = response
  const validate = operation.validators.get(String(status))
  expect(validate, `${method} ${pathname} answered ${status}, undescribed: ${text}`).toBeDefined()
  if (!validate) return
  const isValid = validate(JSON.parse(text))
  expect(
    isValid,
    `${method} ${pathname} ${status}: ${JSON.stringify(validate.errors)} ${text}`,
  ).toBe(true)
}

function compileOperations(service: Service): Operation[] {
  const cached = operationsByService.get(service)
  if (cached) return cached
  const document = description(service.name, '0', service.endpoints)
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(document, 'doc')
  const operations: Operation[] = []
  for (const [path, methods] of Object.entries<Record<string, any>>(document.paths)) {
    for (const [method, operation] of Object.entries<any>(methods)) {
      const validators = new Map<string, ValidateFunction | null>()
      for (const [status, { content }] of Object.entries<any>(operation.responses)) {
        // Binary responses have no JSON schema.
        if (!content['application/json']) {
          validators.set(status, null)
          continue
        }
        const at = [
          'paths',
          path,
          method,
          'responses',
          status,
          'content',
          'application/json',
          'schema',
        ]
        const pointer = at.map((step) =>
          encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')),
        )
        validators.set(status, ajv.compile({ $ref: `doc#/${pointer.join('/')}` }))
      }
      const pattern = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')
      operations.push({ path: new RegExp(`^${pattern}$`), method, validators })
    }
  }
  // Literal paths match before parameterized paths.
  operations.sort(
    (a, b) =>
      b.path.source.replaceAll('[^/]+', '').length - a.path.source.replaceAll('[^/]+', '').length,
  )
  operationsByService.set(service, operations)
  return operations
}
