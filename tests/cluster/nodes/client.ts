import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOutput, startKubectl } from './kubectl.ts'
import { clientsNamespace, suiteNamespace } from './namespaces.ts'
import { nodePod, restrictedPod } from './pods.ts'

const folder = join(import.meta.dirname, 'client')

/** A pod of another namespace that runs the scripts in `client`. */
export function clientObjects(image: string) {
  const names = readdirSync(folder)
  const data = Object.fromEntries(
    names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  )
  const container = nodePod(
    image,
    ['-e', 'setInterval(() => {}, 2 ** 30)'],
    [{ name: 'scripts', mountPath: '/scripts' }],
  )
  const volumes = [{ name: 'scripts', configMap: { name: 'scripts' } }]
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'scripts' }, data },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'client' },
      spec: { ...restrictedPod, containers: [{ ...container, name: 'client' }], volumes },
    },
  ]
}

/** Starts a script in the client pod. Its input is one JSON argument, its output is JSON. */
function startScript(script: string, input: object) {
  const options = {
    gateway: `http://demo-gateway.${suiteNamespace()}.svc:8080`,
    token: process.env.TEST_TOKEN,
    ...input,
  }
  return startKubectl(
    ...['--namespace', clientsNamespace(), 'exec', '--stdin', 'client', '--'],
    ...['node', `/scripts/${script}`, JSON.stringify(options)],
  )
}

export async function runScript(script: string, input: object = {}): Promise<any> {
  const process = startScript(script, input)
  process.stdin!.end()
  return JSON.parse(await readOutput(process, script))
}

export interface LoadResult {
  sent: number
  /** Requests without a response or with a status of 400 or more. */
  failures: { method: string; status?: number; code?: string; message?: string; at: string }[]
  acknowledged: number
  /** Ids of acknowledged writes that cannot be read afterwards. */
  lost: string[]
}

/** Writes and reads matters over keep-alive connections until it is stopped. */
export function startLoad(input: { connections?: number; pauseMs?: number } = {}) {
  const process = startScript('load.mjs', { connections: 4, pauseMs: 300, ...input })
  const output = readOutput(process, 'load.mjs')
  // The failure is reported by `stop`.
  output.catch(() => {})
  return {
    async stop(): Promise<LoadResult> {
      process.stdin!.end()
      return JSON.parse(await output)
    },
  }
}
