import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { createWorker, type Worker } from 'tesseract.js'
import { type Recognize, removeHanSpaces } from './ocr.ts'

const require = createRequire(import.meta.url)

/** Where the data of a language was installed: nothing is fetched. */
const languageDataPath = (language: string) =>
  join(dirname(require.resolve(`@tesseract.js-data/${language}/package.json`)), '4.0.0_best_int')

/** Reads Chinese and English in pictures. It starts when it is first needed. */
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

/** The library looks for all languages in one place; they are installed in one each. */
async function startWorker(): Promise<Worker> {
  const languages = ['eng']
  // It would throw what goes wrong a second time, where nobody can catch it.
  const errorHandler = () => {}
  const options = { cacheMethod: 'none', langPath: languageDataPath('eng'), errorHandler }
  const worker = await createWorker(languages, 1, options)
  const chinese = gunzipSync(
    readFileSync(join(languageDataPath('chi_sim'), 'chi_sim.traineddata.gz')),
  )
  await worker.FS('writeFile', ['chi_sim.traineddata', new Uint8Array(chinese)])
  // It keeps this very list of what it has loaded.
  languages.push('chi_sim')
  await worker.reinitialize('chi_sim+eng')
  return worker
}
