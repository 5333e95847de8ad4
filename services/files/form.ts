import * as z from 'zod'
import { textProblem } from '../_kit/body.ts'
import { Fault, invalid } from '../_kit/fault.ts'
import { displayName, Purpose, Visibility } from './file.ts'
import { fileTooLarge, readBody } from './inspect-stream.ts'
import { formParts, lastPartSize, parseBoundary, readAtMost } from './multipart.ts'

/** Form fields beside the file. */
const FormFields = z.object({
  purpose: z
    .literal('')
    .transform(() => null)
    .or(Purpose)
    .default(null),
  visibility: Visibility.default('private'),
  parse: z
    .enum(['true', 'false'])
    .default('false')
    .transform((word) => word === 'true'),
})
export type FormFields = z.output<typeof FormFields>

const maxFieldBytes = 1_000
/** Allowance for boundaries, headers and fields. */
const overheadBytes = 64 * 1024

/** OpenAPI schema of the form. */
export const formContent = {
  'multipart/form-data': {
    schema: {
      type: 'object',
      required: ['file'],
      properties: {
        file: { type: 'string', format: 'binary', description: 'The file with its filename.' },
        purpose: { type: 'string', maxLength: 100 },
        visibility: { enum: Visibility.options, default: 'private' },
        parse: {
          type: 'boolean',
          default: false,
          description: 'Parse the file in the background. Default: false.',
        },
      },
    },
  },
}

/** The file of a form. `expectedSize` follows from the length of the request, if it has one. */
export interface FilePart {
  body: AsyncIterable<Uint8Array>
  filename: string
  expectedSize: number | undefined
}

/**
 * Reads the whole form. Streams the file to `storeFile`; the other fields may come before or after the file.
 */
export async function readForm<T>(
  request: Request,
  maxBytes: number,
  storeFile: (part: FilePart) => Promise<T>,
): Promise<{ fields: FormFields; received: T }> {
  const boundary = parseBoundary(request.headers.get('content-type') ?? undefined)
  if (boundary === undefined || !request.body) {
    throw new Fault('UNSUPPORTED_MEDIA_TYPE', 'The content type must be multipart/form-data.')
  }
  const contentLength = request.headers.get('content-length')
  const length = contentLength === null ? undefined : Number(contentLength)
  if (length !== undefined && length > maxBytes + overheadBytes) throw fileTooLarge(maxBytes)
  const values: Record<string, string> = {}
  let received: { it: T } | undefined
  const bytes = readBody(request, maxBytes + overheadBytes, () => fileTooLarge(maxBytes))
  for await (const { name, filename, offset, body } of formParts(bytes, boundary)) {
    if (name === 'file') {
      if (received) throw invalid([{ path: 'file', message: 'Only one file per request.' }])
      const expectedSize = lastPartSize(length, offset, boundary)
      received = { it: await storeFile({ body, filename: displayName(filename), expectedSize }) }
    } else if (name in FormFields.shape) {
      values[name] = await readField(name, body)
    }
  }
  if (!received) throw invalid([{ path: 'file', message: 'The form contains no file.' }])
  return { fields: parseFields(values), received: received.it }
}

async function readField(path: string, body: AsyncIterable<Uint8Array>): Promise<string> {
  const bytes = await readAtMost(body, maxFieldBytes)
  const text = new TextDecoder().decode(bytes ?? undefined)
  const message = bytes ? textProblem(text) : `Must have at most ${maxFieldBytes} bytes.`
  if (message) throw invalid([{ path, message }])
  return text
}

function parseFields(values: Record<string, string>): FormFields {
  const fields = FormFields.safeParse(values)
  if (fields.success) return fields.data
  throw invalid(
    fields.error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message })),
  )
}
