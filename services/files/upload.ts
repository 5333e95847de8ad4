import type { Context } from 'hono'
import type * as z from 'zod'
import { type Env, ok } from '../_kit/endpoint.ts'
import { Fault, invalid } from '../_kit/fault.ts'
import { canonicalJson } from '../_kit/hash.ts'
import { idempotent } from '../_kit/idempotency.ts'
import { type Caller, user } from '../_kit/identity.ts'
import { newId } from '../_kit/ids.ts'
import type { ServiceContext } from '../_kit/service.ts'
import { type Deps, post } from './deps.ts'
import { File, insertFile, type Visibility } from './file.ts'
import { type Fields, formContent, readForm } from './form.ts'
import { type Measured, measure } from './measure.ts'
import { discardBytes, expectBytes, ownBytes } from './unowned.ts'

const spec = {
  summary: 'Upload a file',
  description:
    'It is stored as it comes. With an Idempotency-Key, the same file and fields again give the first answer.',
  guard: user,
  stream: formContent,
  responses: { 201: File },
  idempotencyKey: true,
}

export const upload = [
  post('/api/v1/files/upload', spec, (c) => receive(c)),
  post('/api/v1/internal/files/upload', spec, (c) => receive(c)),
]

type C = Context<Env<Deps>>
type Taken = Measured & { filename: string }

async function receive(c: C): Promise<Response> {
  const given = c.env
  const fileId = newId()
  const key = `files/${fileId}`
  let [begun, owned] = [false, false]
  try {
    const { fields, taken } = await readForm(c.req.raw, given.maxBytes, (body, filename) => {
      begun = true
      return take(given, key, body, filename)
    })
    fitsOrganization(c.var.caller, fields.visibility)
    const { size, sha256, filename } = taken
    const said = canonicalJson({ ...fields, size, sha256, filename })
    return await idempotent(c, said, async () => {
      const file = await make(c, fileId, key, fields, taken)
      owned = true
      return ok(c, file, 201)
    })
  } finally {
    // Refused, cut off, or the same upload again: these bytes are nobody's.
    if (begun && !owned) await discardBytes(given, key)
  }
}

async function take(
  { sql, store, runtime, maxBytes }: ServiceContext<Deps>,
  key: string,
  body: AsyncIterable<Uint8Array>,
  filename: string,
): Promise<Taken> {
  await expectBytes(sql, key)
  const storage = await store()
  const measured = await measure(body, { runtime, most: maxBytes, filename }, (chunks) =>
    storage.put(key, chunks),
  )
  return { ...measured, filename }
}

function make(
  c: C,
  fileId: string,
  storageKey: string,
  fields: Fields,
  taken: Taken,
): Promise<File> {
  const { userId, organizationId = null } = c.var.caller
  return c.env.sql.transaction(async (sql) => {
    if (!(await ownBytes(sql, storageKey))) throw new Fault('CONFLICT', 'The upload took too long.')
    return insertFile(sql, {
      ...fields,
      ...taken,
      fileId,
      storageKey,
      owner: userId!,
      organizationId,
    })
  })
}

/** Without an organization there is nobody to share with. */
export function fitsOrganization(
  { organizationId }: Caller,
  visibility: z.infer<typeof Visibility>,
) {
  if (visibility === 'organization' && organizationId === undefined) {
    throw invalid([{ path: 'visibility', message: 'There is no organization to share it with.' }])
  }
}
