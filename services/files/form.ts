import * as z from 'zod'
import { textProblem } from '../_kit/body.ts'
import { Fault, invalid } from '../_kit/fault.ts'
import { Purpose, shownName, Visibility } from './file.ts'
import { bodyOf, tooLarge } from './measure.ts'
import { boundaryOf, collect, formParts } from './multipart.ts'

/** What a form says beside the file. */
const Fields = z.object({
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
export type Fields = z.output<typeof Fields>

const fieldLimit = 1_000
/** Beyond the file itself: boundaries, headers, fields. */
const overhead = 64 * 1024

/** The form as the API description shows it. */
export const formContent = {
  'multipart/form-data': {
    schema: {
      type: 'object',
      required: ['file'],
      properties: {
        file: { type: 'string', format: 'binary', description: 'The file; its part names it.' },
        purpose: { type: 'string', maxLength: 100 },
        visibility: { enum: Visibility.options, default: 'private' },
        parse: { type: 'boolean', default: false, description: 'Parse it in the background.' },
      },
    },
  },
}

/** Reads a form to its end; `take` is given the file as it comes, before or after the other fields. */
export async function readForm<T>(
  request: Request,
  most: number,
  take: (body: AsyncIterable<Uint8Array>, filename: string) => Promise<T>,
): Promise<{ fields: Fields; taken: T }> {
  const boundary = boundaryOf(request.headers.get('content-type') ?? undefined)
  if (boundary === undefined || !request.body) {
    throw new Fault('UNSUPPORTED_MEDIA_TYPE', 'Send the file as multipart/form-data.')
  }
  if (Number(request.headers.get('content-length') ?? 0) > most + overhead) throw tooLarge(most)
  const given: Record<string, string> = {}
  let taken: { it: T } | undefined
  const bytes = bodyOf(request, most + overhead, () => tooLarge(most))
  for await (const { name, filename, body } of formParts(bytes, boundary)) {
    if (name === 'file') {
      if (taken) throw invalid([{ path: 'file', message: 'One file at a time.' }])
      taken = { it: await take(body, shownName(filename)) }
    } else if (name in Fields.shape) {
      given[name] = await fieldText(name, body)
    }
  }
  if (!taken) throw invalid([{ path: 'file', message: 'The form holds no file.' }])
  return { fields: parsed(given), taken: taken.it }
}

async function fieldText(path: string, body: AsyncIterable<Uint8Array>): Promise<string> {
  const bytes = await collect(body, fieldLimit)
  const text = new TextDecoder().decode(bytes ?? undefined)
  const message = bytes ? textProblem(text) : `At most ${fieldLimit} bytes.`
  if (message) throw invalid([{ path, message }])
  return text
}

function parsed(given: Record<string, string>): Fields {
  const fields = Fields.safeParse(given)
  if (fields.success) return fields.data
  throw invalid(
    fields.error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message })),
  )
}
