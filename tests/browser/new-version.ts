import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import type { Page } from 'playwright-core'
import { inject } from 'vitest'
import { servicePort } from '../../services/_run/services.ts'

/** Releases a new version of a Word document of a matter, as the engine does, with a word replaced. */
export async function releaseVersion(
  page: Page,
  matterId: string,
  bytes: Uint8Array,
  [word, replacement]: [string, string],
) {
  const read = (path: string) =>
    page.evaluate(async (target) => (await (await fetch(target)).json()).data, path)
  const { id: user, organization_id } = await read('/auth/me')
  const { items } = await read(`/matter-service/api/v1/matters/${matterId}/deliverables`)
  const headers = {
    'x-internal-api-key': readFileSync(
      join(inject('directory'), 'internal-api-key'),
      'utf8',
    ).trim(),
    'x-user-id': user,
    'x-organization-id': organization_id,
  }
  const post = async (folder: string, path: string, body: FormData | string) => {
    const port = servicePort({ folder }, Number(new URL(inject('origin')).port))
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/internal/${path}`, {
      method: 'POST',
      headers:
        typeof body === 'string' ? { ...headers, 'content-type': 'application/json' } : headers,
      body,
    })
    if (!response.ok) throw new Error(await response.text())
    return (await response.json()).data
  }
  const entries = unzipSync(bytes)
  const name = 'word/document.xml'
  entries[name] = strToU8(strFromU8(entries[name]!).replaceAll(word, replacement))
  const form = new FormData()
  form.set('visibility', 'organization')
  form.set('file', new Blob([zipSync(entries)]), 'version-2.docx')
  const { fileId } = await post('files', 'files/upload', form)
  const { deliverable_key } = items.find(
    (each: { kind: string; deliverable_key: string }) => !each.deliverable_key.endsWith('_pdf'),
  )
  const deliverables = [{ deliverable_key, file_id: fileId }]
  await post('matter', `matters/${matterId}/sync/all`, JSON.stringify({ deliverables }))
}
