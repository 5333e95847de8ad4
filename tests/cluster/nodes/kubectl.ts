import { type ChildProcess, spawn } from 'node:child_process'
import { findCommand } from '../../../packaging/chart/testing/helm.ts'

const command = findCommand('kubectl') ?? 'kubectl'

/** Starts kubectl against the test cluster, never against the current context. */
export const startKubectl = (...args: string[]): ChildProcess =>
  spawn(command, ['--kubeconfig', process.env.TEST_KUBECONFIG!, ...args])

/** Runs kubectl. Returns its output, or throws an error with the text that kubectl prints. */
export async function kubectl(args: string[], input = ''): Promise<string> {
  const process = startKubectl(...args)
  process.stdin!.end(input)
  return readOutput(process, `kubectl ${args.join(' ')}`)
}

/** The output of a process. Throws if the process fails. */
export async function readOutput(process: ChildProcess, name: string): Promise<string> {
  const output = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const)
    process[stream]!.setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text
    })
  const code = await new Promise<number | null>((resolve, reject) => {
    process.once('error', reject)
    process.once('close', resolve)
  })
  if (code !== 0) throw new Error(`${name} exited with ${code}: ${output.stderr}${output.stdout}`)
  return output.stdout
}

/** Applies objects with `kubectl apply`. */
export const applyObjects = (namespace: string, objects: object[]) =>
  kubectl(
    ['--namespace', namespace, 'apply', '--filename', '-'],
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }),
  )
