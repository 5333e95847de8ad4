import { ApiError, checkSession, me, offline, request } from '../../api/client.ts'
import type { File as StoredFile } from '../../api/types.ts'

export const filesPath = '/files-service/api/v1/files'

/** Uploads a file for a consultation and asks for its text. `onProgress` gets the sent part, 0 to 1. */
export function uploadFile(
  file: File,
  onProgress: (part: number) => void,
  signal?: AbortSignal,
): Promise<StoredFile> {
  const form = new FormData()
  form.set('parse', 'true')
  form.set('purpose', 'consultation')
  form.set('visibility', 'organization')
  form.set('file', file)
  // fetch does not report the progress of a request.
  return new Promise((resolve, reject) => {
    const upload = new XMLHttpRequest()
    upload.open('POST', `${filesPath}/upload`)
    upload.setRequestHeader('X-CSRF-Token', me.get()?.csrf ?? '')
    upload.responseType = 'json'
    upload.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total)
    signal?.addEventListener('abort', () => upload.abort())
    upload.onabort = () => reject(signal?.reason)
    upload.onerror = () => reject(offline('No response.'))
    upload.onload = () => {
      const { status, response } = upload
      if (status === 201) resolve(response.data)
      else {
        checkSession(status)
        const { code = 'INTERNAL', message = '', data = null } = response ?? {}
        reject(new ApiError(status, code, message, data, null))
      }
    }
    upload.send(form)
  })
}

const pollMs = 1_500

/** Whether the text of a file is still being read. */
export const isParsing = ({ parseStatus }: StoredFile) =>
  parseStatus === 'PENDING' || parseStatus === 'PROCESSING'

/** Reports the state of a file until its text was read. */
export async function followParse(
  file: StoredFile,
  onChange: (file: StoredFile) => void,
  signal: AbortSignal,
) {
  let current = file
  while (isParsing(current) && !signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, pollMs))
    if (signal.aborted) return
    try {
      current = await request<StoredFile>(`${filesPath}/${file.fileId}`, { signal })
      onChange(current)
    } catch {
      // The next poll tries again.
    }
  }
}
