import { useEffect, useRef, useState } from 'preact/hooks'
import type { File as StoredFile } from '../../api/types.ts'
import { followParse, uploadFile } from './upload.ts'

/** A file on its way: the sent part, then the stored file or the error. */
export interface Upload {
  key: string
  name: string
  part: number
  file?: StoredFile
  error?: unknown
}

/** Uploads of a form. */
export function useUploads() {
  const [uploads, setUploads] = useState<Upload[]>([])
  const closing = useRef(new AbortController())
  useEffect(() => () => closing.current.abort(), [])

  const change = (key: string, changes: Partial<Upload>) =>
    setUploads((before) =>
      before.map((each) => (each.key === key ? { ...each, ...changes } : each)),
    )

  async function add(file: File) {
    const key = crypto.randomUUID()
    setUploads((before) => [...before, { key, name: file.name, part: 0 }])
    try {
      const stored = await uploadFile(file, (part) => change(key, { part }))
      change(key, { part: 1, file: stored })
      await followParse(stored, (next) => change(key, { file: next }), closing.current.signal)
    } catch (error) {
      change(key, { error })
    }
  }

  return {
    uploads,
    addFiles: (files: Iterable<File>) => {
      for (const file of files) add(file)
    },
    remove: (key: string) => setUploads((before) => before.filter((each) => each.key !== key)),
    clear: () => setUploads([]),
    fileIds: uploads.flatMap(({ file }) => (file ? [file.fileId] : [])),
    isBusy: uploads.some(({ file, error }) => !file && error === undefined),
  }
}
