import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { createWorker, type Worker } from 'tesseract.js'
import { type Recognize, removeHanSpaces } from './ocr.ts'

const require = createRequire(import.meta.url)

/** Directory of the installed language data. Nothing is downloaded. */
const languageDataPath = (language: string) =>
  join(dirname(require.resolve(`@tesseract.js-data/${language}/package.json`)), '4.0.0_best_int')

/** OCR for Chinese and English, started on first use. */
export function makeRecognizer(): { recognize: Recognize; end(): Promise<unknown> } {
  let worker: Promise<Worker> | undefined
  return {
    async recognize(picture) {
      worker ??= startWorker()
      const { data } = await (await worker).recognize(Buffer.from(picture))
      return removeHanSpaces(data.text).trim()
    },
    end: async () => (await worker)?.terminate(),
  }
}

/**
 * Starts tesseract. It expects all languages in one directory, but each is installed in its own, so Chinese
 * is copied into its virtual file system.
 */
async function startWorker(): Promise<Worker> {
  const languages = ['eng']
  // The default handler would rethrow errors outside of any promise.
  const errorHandler = () => {}
  const options = { cacheMethod: 'none', langPath: languageDataPath('eng'), errorHandler }
  const worker = await createWorker(languages, 1, options)
  const chinese = gunzipSync(
    readFileSync(join(languageDataPath('chi_sim'), 'chi_sim.traineddata.gz')),
  )
  await worker.FS('writeFile', ['chi_sim.traineddata', new Uint8Array(chinese)])
  // tesseract.js checks this array for loaded languages.
  languages.push('chi_sim')
  await worker.reinitialize('chi_sim+eng')
  return worker
}
