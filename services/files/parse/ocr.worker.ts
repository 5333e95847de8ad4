import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Recognize, removeHanSpaces } from './ocr.ts'

const require = createRequire(import.meta.url)

/** The part of tesseract.js that it runs in a thread. A failed action is rejected with a text. */
interface Engine {
  setAdapter(adapter: { getCore: unknown }): void
  dispatchHandlers(
    packet: { workerId: string; jobId: string; action: string; payload: object },
    respond: (response: { status: 'resolve' | 'reject' | 'progress'; data: unknown }) => void,
  ): void
}

/** OCR for Chinese and English, started on first use. */
export function makeRecognizer(): { recognize: Recognize } {
  let engine: Promise<Run> | undefined
  return {
    async recognize(picture) {
      engine ??= startEngine()
      const run = await engine
      const payload = { image: picture, options: {}, output: { text: true } }
      const { text } = (await run('recognize', payload)) as { text: string }
      return removeHanSpaces(text).trim()
    },
  }
}

type Run = (action: string, payload: object) => Promise<unknown>

/**
 * Starts tesseract in this thread. The parser process may not start threads: Node would run a thread with
 * other flags without the restrictions of the process.
 */
async function startEngine(): Promise<Run> {
  const engine: Engine = require('tesseract.js/src/worker-script/index.js')
  engine.setAdapter({ getCore: require('tesseract.js/src/worker-script/node/getCore.js') })
  const run: Run = (action, payload) =>
    new Promise((resolve, reject) => {
      engine.dispatchHandlers({ workerId: 'w', jobId: 'j', action, payload }, (response) => {
        if (response.status === 'resolve') resolve(response.data)
        else if (response.status === 'reject') reject(new Error(String(response.data)))
      })
    })
  await run('load', { options: { lstmOnly: true } })
  for (const language of ['chi_sim', 'eng']) {
    const data = gunzipSync(readFileSync(languageFile(language)))
    const args = [`${language}.traineddata`, new Uint8Array(data)]
    await run('FS', { method: 'writeFile', args })
  }
  await run('initialize', { langs: 'chi_sim+eng', oem: 1 })
  return run
}

/** File of the installed language data. Nothing is downloaded. */
const languageFile = (language: string) =>
  join(
    dirname(require.resolve(`@tesseract.js-data/${language}/package.json`)),
    '4.0.0_best_int',
    `${language}.traineddata.gz`,
  )
