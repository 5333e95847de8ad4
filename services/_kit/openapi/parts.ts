import type { Json } from './schemas.ts'

export const conventions = `Answers are \`{"code": 0, "message": "ok", "data": …}\`, faults \`{"code": "<CONSTANT>", "message", "data"}\`.
Beside the faults that each operation names, any may answer METHOD_NOT_ALLOWED (405), INTERNAL (500) or UPSTREAM_UNAVAILABLE (503).
Members that a request holds beyond those described are ignored.
Text holds no NUL and no half of a surrogate pair, and JSON nests at most 64 levels deep: anything else is VALIDATION_FAILED.
X-Request-Id and traceparent are accepted, or made where they are not sent, and passed on to every service that is called.`

export const envelope = (data: Json): Json => ({
  type: 'object',
  required: ['code', 'message', 'data'],
  properties: { code: { const: 0 }, message: { const: 'ok' }, data },
})

export const faultSchema = {
  type: 'object',
  required: ['code', 'message', 'data'],
  properties: {
    code: { type: 'string', pattern: '^[A-Z_]+$' },
    message: { type: 'string', minLength: 1, description: 'One sentence that a user can act on.' },
    data: {
      description: 'Details or null; of VALIDATION_FAILED `{"issues": [{"path", "message"}]}`.',
    },
  },
}

export const ifMatchHeader = {
  name: 'If-Match',
  required: false,
  description: 'The ETag that the record must still have.',
  schema: { type: 'string', examples: ['"1"'] },
}

export const requestIdHeader = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } }

export const requestId = {
  required: true,
  description: 'The id of the request: that of its header, or a generated one.',
  schema: { type: 'string', pattern: '^[\\w.:/+=@-]{1,128}$' },
}

export const etag = {
  required: true,
  description: 'The version of the record, for If-Match.',
  schema: { type: 'string', pattern: '^"\\d+"$' },
}

export const replayed = {
  required: false,
  description: 'This is the first answer again.',
  schema: { type: 'string', const: 'true' },
}
