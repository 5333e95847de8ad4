import { useEffect, useState } from 'preact/hooks'
import type { File as StoredFile } from '../../api/types.ts'
import { followParse, isParsing, uploadFile } from './upload.ts'

/** A file of a form: stored, on its way with the part that was sent, or failed. */
export interface Upload {
  key: string
  name: string
  part: number
  file?: StoredFile
  error?: unknown
}

interface PendingUpload extends Upload {
  source: File
  stop: AbortController
}

/** Files of a form. The form keeps the stored ones; those on their way are lost with the page. */
export function useUploads(
  files: StoredFile[],
  changeFiles: (change: (before: StoredFile[]) => StoredFile[]) => void,
) {
  const [pending, setPending] = useState<PendingUpload[]>([])
  const change = (key: string, changes: Partial<Upload>) =>
    setPending((before) =>
      before.map((each) => (each.key === key ? { ...each, ...changes } : each)),
    )
  const drop = (key: string) => setPending((before) => before.filter((each) => each.key !== key))

  async function add(source: File) {
    const key = crypto.randomUUID()
    const stop = new AbortController()
    const upload = { key, name: source.name, part: 0, source, stop }
    setPending((before) => [...before, upload])
    try {
      const stored = await uploadFile(source, (part) => change(key, { part }), stop.signal)
      changeFiles((before) => [...before, stored])
      drop(key)
    } catch (error) {
      change(key, { error })
    }
  }

  const parsing = files.filter(isParsing)
  useEffect(() => {
    const stop = new AbortController()
    const replace = (next: StoredFile) =>
      changeFiles((before) => before.map((each) => (each.fileId === next.fileId ? next : each)))
    for (const file of parsing) followParse(file, replace, stop.signal)
    return () => stop.abort()
  }, [parsing.map(({ fileId }) => fileId).join()])

  const stored = files.map((file) => ({ key: file.fileId, name: file.filename, part: 1, file }))
  return {
    uploads: [...stored, ...pending],
    addFiles: (added: Iterable<File>) => {
      for (const file of added) add(file)
    },
    remove(key: string) {
      pending.find((each) => each.key === key)?.stop.abort()
      drop(key)
      changeFiles((before) => before.filter(({ fileId }) => fileId !== key))
    },
    retry(key: string) {
      const failed = pending.find((each) => each.key === key)
      drop(key)
      if (failed) add(failed.source)
    },
    isBusy: pending.some(({ error }) => error === undefined),
  }
}
