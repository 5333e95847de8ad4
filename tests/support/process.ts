import { type ChildProcess, spawn } from 'node:child_process'

/** Starts a child process with captured output. It is killed when the test process ends. */
export function run(command: string, args: string[], env: Record<string, string>) {
  const { PATH = '', HOME = '', TMPDIR = '' } = process.env
  const child = spawn(command, args, {
    env: { PATH, HOME, ...(TMPDIR && { TMPDIR }), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const release = killWithParent(child)

  let output = ''
  const listeners = new Set<() => void>()
  const appendOutput = (text: string) => {
    output = (output + text).slice(-50_000)
    for (const check of listeners) check()
  }
  child.stdout.setEncoding('utf8').on('data', appendOutput)
  child.stderr.setEncoding('utf8').on('data', appendOutput)
  child.on('error', (error) => appendOutput(String(error)))

  let ended = false
  const exit = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => {
      ended = true
      release()
      resolve(code ?? signal ?? 'unknown')
      for (const check of listeners) check()
    })
  })

  return {
    /** Exit code, or the terminating signal. */
    exit,
    pid: child.pid!,
    ended: () => ended,
    output: () => output,
    signal: (signal: NodeJS.Signals) => child.kill(signal),

    /** Waits until the output contains `text`. Rejects if the process ends first. */
    waitForOutput: (text: string) =>
      new Promise<void>((resolve, reject) => {
        const check = () => {
          if (output.includes(text)) resolve()
          else if (ended) reject(new Error(`process ended without printing “${text}”:\n${output}`))
          else return
          listeners.delete(check)
        }
        listeners.add(check)
        check()
      }),

    async stop() {
      const killTimer = setTimeout(() => child.kill('SIGKILL'), 10_000)
      if (!ended) child.kill('SIGTERM')
      await exit
      clearTimeout(killTimer)
    },
  }
}

/** Kills the child when this process ends for any reason: the watchdog sees its pipe close. */
export function killWithParent({ pid }: Pick<ChildProcess, 'pid'>) {
  if (pid === undefined) return () => {}
  const script = 'read released || kill -KILL "$0"'
  const watchdog = spawn('sh', ['-c', script, String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  watchdog.unref()
  return () => watchdog.stdin.end('released\n')
}

export type Running = ReturnType<typeof run>
