import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { run } from '../support/process.ts'
import { scriptedModel } from '../support/scripted-model.ts'

declare module 'vitest' {
  interface ProvidedContext {
    origin: string
    /** Directory of the data of the suite. */
    directory: string
  }
}

/** A question that the model answers word by word. Every other request to it fails: skills use their rules. */
export const slowQuestion = '什么是诉讼时效？'
export const slowAnswer = Array.from({ length: 40 }, (_, n) => `第${n}句话，**重点${n}**。\n\n`)

/** A question that the model answers at once, with markup that would run if a page took it for its own. */
export const hostileQuestion = '什么是管辖？'
export const hostileAnswer =
  'Text <script>pwned=1</script> <img src=x onerror="pwned=1"> [a](javascript:pwned=1) &lt;b&gt; \\*'

/** Builds the console and starts the suite with a scripted model. */
export default async function setup({ provide }: TestProject) {
  const built = spawnSync(process.execPath, ['services/gateway/console/build.node.ts'])
  if (built.status !== 0) throw new Error(String(built.stderr))
  const directory = mkdtempSync(join(tmpdir(), 'legal-suite-browser-'))
  const port = 16_000 + (process.pid % 800) * 10
  const model = await scriptedModel((body) => {
    const messages = JSON.stringify(body.messages)
    if (messages.includes(slowQuestion)) return { say: slowAnswer, betweenMs: 60 }
    return messages.includes(hostileQuestion) ? { say: hostileAnswer } : { status: 400 }
  })
  const suite = run(process.execPath, ['services/_run/start.js'], {
    PORT: String(port),
    DATA_DIR: directory,
    LOG_LEVEL: 'warn',
    AI_BASE_URL: model.baseUrl,
    AI_MODEL: 'scripted',
  })
  await suite.waitForOutput('internal key:')
  provide('origin', `http://127.0.0.1:${port}`)
  provide('directory', directory)
  return async () => {
    await suite.stop()
    await model.close()
    rmSync(directory, { recursive: true, force: true })
  }
}
